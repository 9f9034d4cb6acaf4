package moysklad

import "sync/atomic"

// Reading counts the calls of some clients, sent and expected. A nil Reading counts nothing.
type Reading struct{ sent, coming atomic.Int64 }

// Calls returns the number of calls sent, including retries, and the number that the lists being read still need as far
// as is known.
func (r *Reading) Calls() (sent, coming int) { return int(r.sent.Load()), int(r.coming.Load()) }

// Followed returns the same client, whose calls r counts too.
func (c *Client) Followed(r *Reading) *Client {
	followed := *c
	followed.reading = r
	return &followed
}

func (r *Reading) send() {
	if r != nil {
		r.sent.Add(1)
	}
}

func (r *Reading) expect(more int) {
	if r != nil {
		r.coming.Add(int64(more))
	}
}

// pagesOf returns the number of pages with that many rows from row next to the row before end.
func pagesOf(rows, next, end int) int {
	if rows <= 0 || next >= end {
		return 0
	}
	return (end - next + rows - 1) / rows
}
