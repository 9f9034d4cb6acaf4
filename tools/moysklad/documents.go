package moysklad

import (
	"context"
	"iter"
)

func (d Document) key() string { return d.ID }
func (p Position) key() string { return p.ID }

// Documents reads entity/kind. It reads the rest of expanded lists of positions that are longer than a page.
func (c *Client) Documents(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(List[Document](ctx, c, kind, q.withOrder()), func(d *Document) error {
		return c.completePositions(ctx, kind, d, q)
	})
}

// DocumentsWithSum is [Client.Documents] for callers that add up sums. The upstream leaves out a sum that the role may
// not see, and that must not count as 0. So if a document has no sum, the list ends in an error that wraps
// [ErrPermission].
//
// Source: md/changelog, 2021-04-28: without the right to see cost, documents of incoming goods entered by hand have no
// sum.
func (c *Client) DocumentsWithSum(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(c.Documents(ctx, kind, q), func(d *Document) error {
		if d.Sum == nil {
			return missingFigure("entity/"+kind, "sum")
		}
		return nil
	})
}

func (c *Client) completePositions(ctx context.Context, kind string, d *Document, q Query) error {
	return complete(ctx, c, join("entity", kind, d.ID, "positions"), d.Positions, q, "positions")
}
