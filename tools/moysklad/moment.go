package moysklad

import "time"

// moment is a time in nanoseconds since 1970; 0 means none. It replaces time.Time because each call compares the times
// of all calls in a ledger, and a time.Time is larger and slower.
type moment int64

func momentOf(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.UnixNano())
}

func (m moment) Time() time.Time {
	if m.IsZero() {
		return time.Time{}
	}
	return time.Unix(0, int64(m))
}

func (m moment) IsZero() bool               { return m == 0 }
func (m moment) After(n moment) bool        { return m > n }
func (m moment) Before(n moment) bool       { return m < n }
func (m moment) Add(d time.Duration) moment { return m + moment(d) }
func (m moment) Sub(n moment) time.Duration { return time.Duration(m - n) }
