package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

// commandLine is the caller for commands that use the database and the master key directly.
var commandLine = keys.Caller{KeyID: "command line", Scopes: []keys.Scope{keys.Admin}, Operator: true}

// withKeys opens the key store with these settings and calls f.
func (s storage) withKeys(ctx context.Context, p *program, f func(*keys.Store) error) error {
	return s.withDatabase(ctx, p, func(_ *database.DB, store *keys.Store) error { return f(store) })
}

// withDatabase opens the database and the key store with these settings and calls f.
func (s storage) withDatabase(ctx context.Context, p *program, f func(*database.DB, *keys.Store) error) error {
	master, err := s.masterKey()
	if err != nil {
		return err
	}
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	noteCreated(p.Err, db)
	store := keys.NewStore(db.DB, master, time.Now)
	store.Clock = db.Clock
	if err := store.CheckMasterKey(ctx); err != nil {
		return wrongMasterKey(err)
	}
	return f(db, store)
}

type orgCommand struct {
	Create orgCreate `cmd:"" help:"Create an organization."`
	List   orgList   `cmd:"" help:"List organizations."`
}

type orgCreate struct {
	storage
	Name string `arg:"" help:"The organization's name."`
	JSON bool   `help:"Print the record as JSON."`
}

func (c *orgCreate) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		o, err := store.CreateOrganization(ctx, commandLine, c.Name)
		if err != nil {
			return err
		}
		return p.print(c.JSON, o, "%s  %s\n", o.ID, o.Name)
	})
}

type orgList struct {
	storage
	JSON bool `help:"Print the records as JSON lines."`
}

func (c *orgList) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		return eachPage(func(page database.Page) (string, error) {
			list, next, err := store.Organizations(ctx, page)
			for _, o := range list {
				if err := p.print(c.JSON, o, "%s  %s\n", o.ID, o.Name); err != nil {
					return "", err
				}
			}
			return next, err
		})
	})
}

type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create a key; its secret is printed once."`
	List   keyList   `cmd:"" help:"List an organization's keys."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key."`
	Seal   keySeal   `cmd:"" help:"Accept the records of all keys and the ends of all audits as they are in the database."`
}

type keyCreate struct {
	storage
	Org           string   `required:"" help:"The organization's id."`
	Name          string   `required:"" help:"What the key is for."`
	Scopes        []string `help:"read:tools, write:tools, read:data, chat, connector:gateway, admin; write:tools if none."`
	ExpiresInDays *int     `help:"1 to 365; 90 if not given."`
	Operator      bool     `help:"A key that belongs to all organizations."`
	JSON          bool     `help:"Print the record as the API does."`
}

func (c *keyCreate) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		wanted := keys.NewKey{Name: c.Name, ExpiresInDays: c.ExpiresInDays, Operator: c.Operator}
		for _, s := range c.Scopes {
			wanted.Scopes = append(wanted.Scopes, keys.Scope(strings.TrimSpace(s)))
		}
		key, secret, err := store.CreateKey(ctx, commandLine, c.Org, wanted)
		if err != nil {
			return err
		}
		shown := struct {
			keys.Key
			Secret string `json:"secret"`
		}{key, secret.Reveal()}
		return p.print(c.JSON, shown, "%s\nThe key is shown this once. Id %s, expires %s, scopes %s.\n",
			secret.Reveal(), key.ID, key.ExpiresAt.Format(time.DateOnly), scopesText(key))
	})
}

type keyList struct {
	storage
	Org  string `required:"" help:"The organization's id."`
	JSON bool   `help:"Print the records as JSON lines."`
}

func (c *keyList) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		if _, err := store.Organization(ctx, c.Org); err != nil {
			return err
		}
		return eachPage(func(page database.Page) (string, error) {
			list, next, err := store.Keys(ctx, c.Org, page)
			for _, k := range list {
				if err := p.print(c.JSON, k, "%s  %-8s %s  until %s  %s (%s)\n",
					k.ID, k.State, k.Prefix, k.ExpiresAt.Format(time.DateOnly), k.Name, scopesText(k)); err != nil {
					return "", err
				}
			}
			return next, err
		})
	})
}

// scopesText lists what a key may do.
func scopesText(k keys.Key) string {
	scopes := strings.Trim(strings.ReplaceAll(fmt.Sprint(k.Scopes), " ", ", "), "[]")
	if k.Operator {
		scopes += "; operator"
	}
	return scopes
}

type keyRevoke struct {
	storage
	Org  string `required:"" help:"The organization's id."`
	ID   string `arg:"" name:"key-id" help:"The key's id."`
	JSON bool   `help:"Print the record as JSON."`
}

func (c *keyRevoke) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		k, err := store.RevokeKey(ctx, commandLine, c.Org, c.ID, false)
		if err != nil {
			return err
		}
		return p.print(c.JSON, k, "%s  %s\n", k.ID, k.State)
	})
}

type keySeal struct{ storage }

// Run accepts records. Somebody must first have checked who changed them, or have restored a database that an older version
// wrote.
func (c *keySeal) Run(ctx context.Context, p *program) error {
	return c.withKeys(ctx, p, func(store *keys.Store) error {
		found, err := store.AcceptRecords(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Out, "sealed %d keys, %d audits and the limits of %d subjects\n", found.Keys, found.Audits, found.Limits)
		return err
	})
}

// print prints a record, as one line of JSON or as text.
func (p *program) print(asJSON bool, record any, format string, words ...any) error {
	if asJSON {
		return json.NewEncoder(p.Out).Encode(record)
	}
	_, err := fmt.Fprintf(p.Out, format, words...)
	return err
}

// eachPage calls f for each page of a list.
func eachPage(f func(database.Page) (next string, err error)) error {
	page := database.Page{Limit: 100}
	for {
		next, err := f(page)
		if err != nil || next == "" {
			return err
		}
		page.Cursor = next
	}
}
