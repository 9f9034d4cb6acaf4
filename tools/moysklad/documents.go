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
