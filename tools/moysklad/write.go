package moysklad

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Writer is a client that can also write. Code that only reads gets a [Client] instead.
type Writer struct {
	*Client
	AccountID string // the account that it writes to
}

// Writer returns a writer for an account. It shares the account's pace with other clients.
func (p *Pool) Writer(accountID string, token Token) *Writer {
	return &Writer{p.Client(accountID, token), accountID}
}

// Create creates a document or other entity. body must have a syncId: if Create is called again with the same syncId,
// it returns the first document unchanged. Create is never retried. After an error other than [ErrRejected],
// [ErrPermission], [ErrTokenRefused] and [ErrNotSent], the document may exist; use [Client.FindBySyncID] to find out.
func (c *Writer) Create(ctx context.Context, kind string, body json.RawMessage) (Document, error) {
	var named struct {
		SyncID string `json:"syncId"`
	}
	if err := json.Unmarshal(body, &named); err != nil || named.SyncID == "" {
		return Document{}, fmt.Errorf("create %s: the body has no syncId: %w", kind, errors.Join(ErrRejected, err))
	}
	var created Document
	read := func(a *response) error {
		err := decodeOne(&created)(a)
		if err == nil && (created.ID == "" || created.SyncID != "" && created.SyncID != named.SyncID) {
			err = errors.New("it is not the document that was sent")
		}
		return err
	}
	err := c.sendPaced(ctx, &request{method: http.MethodPost, path: join("entity", kind), body: body}, read)
	return created, err
}

// FindBySyncID finds the entity that was created with syncID, even if it was deleted or archived since. It returns
// false if there is none.
//
// Source: md/_general.md: a filter with both values of isDeleted selects deleted documents too; dictionaries have
// archived instead.
func (c *Client) FindBySyncID(ctx context.Context, kind, syncID string) (Document, bool, error) {
	hidden := "isDeleted"
	if dictionary[kind] {
		hidden = "archived"
	}
	filter := Filter{}.Is("syncId", syncID).Is(hidden, "true", "false")
	found, err := collect(c.Documents(ctx, kind, Query{Filter: filter, Max: 2}))
	switch {
	case err != nil || len(found) == 0:
		return Document{}, false, err
	case len(found) > 1 || found[0].SyncID != "" && found[0].SyncID != syncID:
		return Document{}, false, fmt.Errorf("entity/%s: %w: the filter by syncId was not applied", kind, ErrIncomplete)
	}
	return found[0], true, nil
}

// dictionary lists the kinds that are not documents.
var dictionary = map[string]bool{
	"product": true, "service": true, "bundle": true, "variant": true, "counterparty": true, "organization": true, "store": true,
	"project": true, "contract": true, "productfolder": true, "saleschannel": true, "employee": true,
}

// Update changes the fields in body and returns the whole entity. A nested list in body replaces the old one, but price
// types and attributes that body leaves out are kept. Update is never retried.
func (c *Writer) Update(ctx context.Context, kind, id string, body json.RawMessage) (json.RawMessage, error) {
	var updated json.RawMessage
	err := c.sendPaced(ctx, &request{method: http.MethodPut, path: join("entity", kind, id), body: body}, decodeOne(&updated))
	return updated, err
}
