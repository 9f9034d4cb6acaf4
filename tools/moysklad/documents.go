package moysklad

import (
	"context"
	"iter"
)

func (d Document) key() string { return d.ID }
func (p Position) key() string { return p.ID }

// Documents reads entity/kind, nested positions completed when they are expanded.
func (c *Client) Documents(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(List[Document](ctx, c, kind, q.ordered()), func(d *Document) error {
		return c.completePositions(ctx, kind, d, q)
	})
}

// Summed reads entity/kind for those who add sums up: a document that came without its sum is an error that wraps
// [ErrPermission]. The upstream leaves out what the role may not see, and that is not 0.
//
// Source: md/changelog, 2021-04-28: goods that are entered by hand have no sum without the right to see cost.
func (c *Client) Summed(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(c.Documents(ctx, kind, q), func(d *Document) error {
		if d.Sum == nil {
			return unseen("entity/"+kind, "sum")
		}
		return nil
	})
}

// Document reads one document, nested positions completed when they are expanded.
func (c *Client) Document(ctx context.Context, kind, id string, q Query) (Document, error) {
	var d Document
	if err := c.one(ctx, join("entity", kind, id), q.values(), &d); err != nil {
		return Document{}, err
	}
	return d, c.completePositions(ctx, kind, &d, q)
}

func (c *Client) completePositions(ctx context.Context, kind string, d *Document, q Query) error {
	return complete(ctx, c, join("entity", kind, d.ID, "positions"), d.Positions, q, "positions")
}
