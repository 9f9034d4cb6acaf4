package moysklad

import "sync/atomic"

// Reading is how far the calls of some clients have got. A nil one counts nothing.
type Reading struct{ sent, coming atomic.Int64 }

// Calls is how many were sent, retries included, and how many more the lists that are being read are known to take.
func (r *Reading) Calls() (sent, coming int) { return int(r.sent.Load()), int(r.coming.Load()) }

// Followed is the same client, whose calls r counts besides.
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

// pagesOf is how many pages of so many rows there are from row next up to the row before end.
func pagesOf(rows, next, end int) int {
	if rows <= 0 || next >= end {
		return 0
	}
	return (end - next + rows - 1) / rows
}
