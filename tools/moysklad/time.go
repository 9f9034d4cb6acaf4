package moysklad

import (
	"fmt"
	"strings"
	"time"
)

// Moscow is the time zone of the upstream, whose times have no zone.
//
// Source: md/_general.md, dates: Moscow time, UTC+3, no daylight saving.
var Moscow = time.FixedZone("MSK", 3*60*60)

// TimeLayout is the format of times in filters and parameters. Dates without a time are not documented.
const TimeLayout = "2006-01-02 15:04:05"

// Moment is a point in time, decoded from the upstream's Moscow time without a zone.
type Moment struct{ time.Time }

// UnmarshalJSON accepts the upstream's forms: with milliseconds, with seconds, and without seconds.
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

// FormatMoment formats t for a parameter or filter.
func FormatMoment(t time.Time) string { return t.In(Moscow).Format(TimeLayout) }
