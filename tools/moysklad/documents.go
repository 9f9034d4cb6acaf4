package moysklad

import (
	"context"
	"iter"
)

func (d Document) key() string { return d.ID }
func (p Position) key() string { return p.ID }

// Documents reads entity/kind. It completes expanded lists of positions.
func (c *Client) Documents(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(List[Document](ctx, c, kind, q.withOrder()), func(d *Document) error {
		return c.completePositions(ctx, kind, d, q)
	})
}

// DocumentsWithSum is [Client.Documents] for callers that add up sums: if a document has no sum, it returns an error that wraps
// [ErrPermission]. The upstream leaves out what the role may not see, and that is not 0.
//
// Source: md/changelog, 2021-04-28: goods that are entered by hand have no sum without the right to see cost.
func (c *Client) DocumentsWithSum(ctx context.Context, kind string, q Query) iter.Seq2[Document, error] {
	return completed(c.Documents(ctx, kind, q), func(d *Document) error {
		if d.Sum == nil {
			return missingFigure("entity/"+kind, "sum")
		}
		return nil
	})
}

// Document reads one document. It completes an expanded list of positions.
func (c *Client) Document(ctx context.Context, kind, id string, q Query) (Document, error) {
	var d Document
	if err := c.readOne(ctx, join("entity", kind, id), q.values(), &d); err != nil {
		return Document{}, err
	}
	return d, c.completePositions(ctx, kind, &d, q)
}

func (c *Client) completePositions(ctx context.Context, kind string, d *Document, q Query) error {
	return complete(ctx, c, join("entity", kind, d.ID, "positions"), d.Positions, q, "positions")
}
