package moysklad

import "time"

// instant is a time in microseconds since 1970; 0 means none. It replaces time.Time because each call compares the times
// of all calls in a ledger, and a time.Time is larger and slower.
type instant int64

func instantOf(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(t.UnixMicro())
}

func (i instant) Time() time.Time { return time.UnixMicro(int64(i)) }

func (i instant) IsZero() bool                { return i == 0 }
func (i instant) After(n instant) bool        { return i > n }
func (i instant) Before(n instant) bool       { return i < n }
func (i instant) Add(d time.Duration) instant { return i + instant(d.Microseconds()) }
func (i instant) Sub(n instant) time.Duration { return time.Duration(i-n) * time.Microsecond }
