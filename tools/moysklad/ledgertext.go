package moysklad

import (
	"encoding/json"
	"fmt"
	"time"
)

// ledgerText is the JSON form in which processes share a ledger. During an upgrade, two versions of the program share
// it, so fields may be added, but their meaning must not change. Times are in microseconds since 1970 UTC; 0 means
// none.
type ledgerText struct {
	Calls     []callText  `json:"calls,omitempty"`
	LastID    int64       `json:"last_id,omitempty"`
	Joined    string      `json:"joined,omitempty"`
	Capacity  int         `json:"capacity,omitempty"`
	Weight    int         `json:"weight,omitempty"`
	Heard     bool        `json:"heard,omitempty"`
	Learned   bool        `json:"learned,omitempty"`
	Doubted   int64       `json:"doubted,omitempty"`
	Hold      int64       `json:"hold,omitempty"`
	Lowered   int         `json:"lowered,omitempty"`
	LoweredAt int64       `json:"lowered_at,omitempty"`
	Refused   breakerText `json:"refused,omitzero"`

	Failures []failureText `json:"failures,omitempty"`
}

type callText struct {
	ID    int64 `json:"id"`
	Stock bool  `json:"stock,omitempty"`
	Heavy bool  `json:"heavy,omitempty"`
	Units int   `json:"units"`
	Alone bool  `json:"alone,omitempty"`
	Sent  int64 `json:"sent"`
	Seen  int64 `json:"seen,omitempty"`
	Done  int64 `json:"done,omitempty"`
	Lease int64 `json:"lease,omitempty"`

	Arrived int64 `json:"arrived,omitempty"`
}

type failureText struct {
	Request uint64 `json:"request"`
	At      int64  `json:"at"`
}

type breakerText struct {
	Strikes []int64 `json:"strikes,omitempty"`
	Tripped bool    `json:"tripped,omitempty"`
	Until   int64   `json:"until,omitempty"`
}

// MarshalJSON encodes the ledger without the settings of this process.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	text := ledgerText{
		LastID: l.lastID, Joined: l.joined, Capacity: l.capacity,
		Weight: l.weight, Heard: l.ordinaryAnswered, Learned: l.weightKnown, Doubted: micros(l.weightLostAt),
		Hold: micros(l.hold), Lowered: l.lowered, LoweredAt: micros(l.loweredAt),
		Refused: l.refused.text(),
	}
	for _, f := range l.failed {
		text.Failures = append(text.Failures, failureText{f.request, micros(f.at)})
	}
	for _, c := range l.calls {
		text.Calls = append(text.Calls, callText{
			ID: c.id, Stock: c.stock, Heavy: c.heavy, Units: c.units, Alone: c.alone,
			Sent: micros(c.sent), Seen: micros(c.seen), Done: micros(c.done), Lease: micros(c.lease),
			Arrived: micros(c.arrived),
		})
	}
	return json.Marshal(text)
}

// UnmarshalJSON decodes the output of [Ledger.MarshalJSON].
func (l *Ledger) UnmarshalJSON(written []byte) error {
	var text ledgerText
	if err := json.Unmarshal(written, &text); err != nil {
		return fmt.Errorf("read a ledger: %w", err)
	}
	*l = Ledger{
		lastID: text.LastID, joined: text.Joined, capacity: text.Capacity,
		weight: text.Weight, ordinaryAnswered: text.Heard, weightKnown: text.Learned, weightLostAt: fromMicros(text.Doubted),
		restraint: restraint{
			hold: fromMicros(text.Hold), lowered: text.Lowered, loweredAt: fromMicros(text.LoweredAt),
			refused: text.Refused.breaker(),
		},
	}
	for _, f := range text.Failures {
		l.failed = append(l.failed, failure{f.Request, fromMicros(f.At)})
	}
	for _, c := range text.Calls {
		l.calls = append(l.calls, &call{
			class: class{stock: c.Stock, heavy: c.Heavy}, id: c.ID, units: c.Units, alone: c.Alone,
			sent: fromMicros(c.Sent), seen: fromMicros(c.Seen), done: fromMicros(c.Done), lease: fromMicros(c.Lease),
			arrived: fromMicros(c.Arrived),
		})
	}
	return nil
}

func (b breaker) text() breakerText {
	text := breakerText{Tripped: b.tripped, Until: micros(b.until)}
	for _, t := range b.strikes {
		text.Strikes = append(text.Strikes, micros(t))
	}
	return text
}

func (t breakerText) breaker() breaker {
	b := breaker{tripped: t.Tripped, until: fromMicros(t.Until)}
	for _, strike := range t.Strikes {
		b.strikes = append(b.strikes, fromMicros(strike))
	}
	return b
}

func micros(m instant) int64 { return time.Duration(m).Microseconds() }

func fromMicros(n int64) instant { return instant(n) * instant(time.Microsecond) }

// Shift adds d to every time in the ledger. It is used after the clock was set.
func (l *Ledger) Shift(d time.Duration) {
	move := func(t *instant) {
		if !t.IsZero() {
			*t = t.Add(d)
		}
	}
	for _, c := range l.calls {
		for _, t := range []*instant{&c.sent, &c.seen, &c.done, &c.lease, &c.arrived} {
			move(t)
		}
	}
	move(&l.refused.until)
	for i := range l.refused.strikes {
		move(&l.refused.strikes[i])
	}
	for i := range l.failed {
		move(&l.failed[i].at)
	}
	for _, t := range []*instant{&l.weightLostAt, &l.hold, &l.loweredAt} {
		move(t)
	}
}
