package moysklad

import "sync/atomic"

// Progress counts the calls that clients have sent and those still expected. A nil Progress counts nothing.
type Progress struct{ sent, remaining atomic.Int64 }

// Calls returns the number of calls sent, including retries, and the number of calls that the lists being read are
// still expected to need.
func (p *Progress) Calls() (sent, remaining int) { return int(p.sent.Load()), int(p.remaining.Load()) }

// WithProgress returns a client with the same settings that also counts its calls in p.
func (c *Client) WithProgress(p *Progress) *Client {
	client := *c
	client.progress = p
	return &client
}

func (p *Progress) send() {
	if p != nil {
		p.sent.Add(1)
	}
}

func (p *Progress) expect(more int) {
	if p != nil {
		p.remaining.Add(int64(more))
	}
}

// pagesOf returns the number of pages from row number next up to row number end, if a page has that many rows.
func pagesOf(rows, next, end int) int {
	if rows <= 0 || next >= end {
		return 0
	}
	return (end - next + rows - 1) / rows
}
