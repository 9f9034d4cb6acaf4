package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// demo is the whole service with a simulated shop, in one process and a temporary folder.
type demo struct {
	*service
	shop      *sandbox.Sandbox
	secret    string // of the admin key
	folder    string
	stopShops func() error // stops the simulation
}

func (c *serveCommand) runDemo(ctx context.Context, p *program) error {
	d, err := c.startDemo(ctx, p)
	if err != nil {
		return err
	}
	d.printGreeting(p)
	return errors.Join(d.wait(ctx), d.stop(context.WithoutCancel(ctx)))
}

func (c *serveCommand) startDemo(ctx context.Context, p *program) (*demo, error) {
	return c.startWithShops(ctx, p, sandbox.New(sandbox.Config{Seed: 1, Products: 200, WithoutAttacks: true}))
}

// startWithShops starts the simulated MoySklad and the service. It creates an organization with a key and a connection to
// shop. The simulation also has the accounts of the shops in others.
func (c *serveCommand) startWithShops(ctx context.Context, p *program, shop *sandbox.Sandbox, others ...*sandbox.Sandbox) (*demo, error) {
	d := &demo{shop: shop}
	var err error
	if d.folder, err = os.MkdirTemp("", "kopeck-demo-"); err != nil {
		return nil, fmt.Errorf("create the demo folder: %w", err)
	}
	upstream, stop, err := serveHTTP(ctx, "127.0.0.1:0", accountsOf(append(others, shop)))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(d.folder))
	}
	d.stopShops = stop
	c.UpstreamURL = "http://" + upstream + "/api/remap/1.2"
	c.DatabaseURL = "sqlite:" + filepath.Join(d.folder, "kopeck.db")
	var master [32]byte
	rand.Read(master[:]) //nolint:errcheck // never fails
	c.MasterKey = base64.StdEncoding.EncodeToString(master[:])
	if strings.EqualFold(c.LogLevel, "info") { // so that the demo's output stays readable
		c.LogLevel = "warn"
	}
	if d.service, err = c.start(ctx, p); err != nil {
		return nil, errors.Join(err, stop(), os.RemoveAll(d.folder))
	}
	if d.secret, err = d.addOrganization(ctx, "Demo", namedShop{"Demo shop", shop}); err != nil {
		return nil, errors.Join(err, d.stop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// stop stops the service and the simulation, and deletes the folder.
func (d *demo) stop(ctx context.Context) error {
	return errors.Join(d.service.stop(ctx), d.stopShops(), os.RemoveAll(d.folder))
}

// accountsOf simulates a MoySklad with several accounts. The token of a request selects the account.
func accountsOf(shops []*sandbox.Sandbox) http.Handler {
	handlers := map[string]http.Handler{}
	for _, shop := range shops {
		handlers["Bearer "+shop.Token()] = shop.Handler()
	}
	other := shops[len(shops)-1].Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := handlers[r.Header.Get("Authorization")]
		if handler == nil {
			handler = other
		}
		handler.ServeHTTP(w, r)
	})
}

// namedShop is a shop and the name of its connection.
type namedShop struct {
	name string
	*sandbox.Sandbox
}

// addOrganization creates an organization with an admin key. It connects the shops through the API.
func (d *demo) addOrganization(ctx context.Context, name string, shops ...namedShop) (secret string, err error) {
	organization, err := d.keys.CreateOrganization(ctx, commandLine, name)
	if err != nil {
		return "", err
	}
	_, shown, err := d.keys.CreateKey(ctx, commandLine, organization.ID, keys.NewKey{Name: "demo", Scopes: []keys.Scope{keys.Admin}})
	if err != nil {
		return "", err
	}
	// Connecting uses a separate key, so that it does not count against the quota of the key that is printed.
	connecting, hidden, err := d.keys.CreateKey(
		ctx, commandLine, organization.ID, keys.NewKey{Name: "connects the shop", Scopes: []keys.Scope{keys.Admin}},
	)
	if err != nil {
		return "", err
	}
	connector := client{URL: "http://" + reachable(d.address), Key: hidden.Reveal()}
	for _, shop := range shops {
		body := map[string]string{"connector": "moysklad", "name": shop.name, "token": shop.Token()}
		if _, err := connector.post(ctx, "/api/v1/connections", body); err != nil {
			return "", fmt.Errorf("connect the demo's shop: %w", err)
		}
	}
	_, err = d.keys.RevokeKey(ctx, commandLine, organization.ID, connecting.ID, false)
	return shown.Reveal(), err
}

func (d *demo) printGreeting(p *program) {
	base := "http://" + reachable(d.address)
	fmt.Fprintf(p.Out, `Kopeck answers with the books of a simulated shop. Ctrl-C ends it and forgets everything.

console   %[1]s
OpenAI    %[1]s/v1 (the base URL of OpenAI's clients and chat UIs)
base URL  %[1]s/api/v1
API key   %[2]s

Paste this to ask what is below its minimum:

curl -s %[1]s/v1/chat/completions -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '{"model":"kopeck","messages":[{"role":"user","content":"Что ниже неснижаемого остатка?"}]}'

`, base, d.secret)
}
