package moysklad

import (
	"fmt"
	"strings"
	"time"
)

// Moscow is the time zone of all times in the upstream's answers and parameters, which do not name a zone.
//
// Source: md/_general.md, dates: Moscow time, UTC+3, no daylight saving.
var Moscow = time.FixedZone("MSK", 3*60*60)

// TimeLayout is the format of times in filters and parameters. A date without a time is not documented, so the time is
// always sent.
const TimeLayout = "2006-01-02 15:04:05"

// Moment is a time in an answer. The upstream writes it in Moscow time, without a zone.
type Moment struct{ time.Time }

// UnmarshalJSON accepts the upstream's three formats: with milliseconds, with seconds, and without seconds.
func (m *Moment) UnmarshalJSON(b []byte) error {
	if isNull(b) {
		return nil
	}
	text := strings.Trim(string(b), `"`)
	for _, layout := range []string{TimeLayout + ".000", TimeLayout, "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, Moscow); err == nil {
			m.Time = t
			return nil
		}
	}
	return fmt.Errorf("moment %q is not of the form %q", text, TimeLayout)
}

// MarshalJSON writes Moscow time with milliseconds.
func (m Moment) MarshalJSON() ([]byte, error) {
	return []byte(m.In(Moscow).Format(`"` + TimeLayout + `.000"`)), nil
}

// FormatMoment formats t, in Moscow time, for a parameter or filter.
func FormatMoment(t time.Time) string { return t.In(Moscow).Format(TimeLayout) }
