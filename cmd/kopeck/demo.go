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
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// demo is the whole service with a simulated shop, in one process and a temporary folder.
type demo struct {
	*service
	shop   *sandbox.Sandbox
	secret string // of the admin key
	folder string
	close  func() error // stops the simulation
}

func (c *serveCommand) runDemo(ctx context.Context, p *program) error {
	d, err := c.startDemo(ctx, p)
	if err != nil {
		return err
	}
	d.printGreeting(p)
	err = d.wait(ctx)
	return errors.Join(err, d.close(), os.RemoveAll(d.folder))
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
	d.close = stop
	c.UpstreamURL = "http://" + upstream + "/api/remap/1.2"
	c.DatabaseURL = "sqlite:" + filepath.Join(d.folder, "kopeck.db")
	var master [32]byte
	rand.Read(master[:]) //nolint:errcheck // never fails
	c.MasterKey = base64.StdEncoding.EncodeToString(master[:])
	if strings.EqualFold(c.LogLevel, "info") { // so that the demo's output stays readable
		c.LogLevel = "warn"
	}
	if d.service, err = c.start(ctx, p); err == nil {
		d.secret, err = d.addOrganization(ctx, "Demo", namedShop{"Demo shop", shop})
	}
	if err != nil {
		return nil, errors.Join(err, stop(), os.RemoveAll(d.folder))
	}
	return d, nil
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
	for _, shop := range shops {
		if err := d.connect(ctx, hidden.Reveal(), shop.name, moysklad.Token(shop.Token())); err != nil {
			return "", err
		}
	}
	_, err = d.keys.RevokeKey(ctx, commandLine, organization.ID, connecting.ID, false)
	return shown.Reveal(), err
}

func (d *demo) connect(ctx context.Context, key, name string, token moysklad.Token) error {
	body := fmt.Sprintf(`{"connector":"moysklad","name":%q,"token":%q}`, name, string(token))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.address+"/api/v1/connections", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("connect the demo's shop: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("connect the demo's shop: the service answered %s", response.Status)
	}
	return nil
}

func (d *demo) printGreeting(p *program) {
	base := "http://" + d.address
	fmt.Fprintf(p.Out, `Kopeck answers with the books of a simulated shop. Ctrl-C ends it and forgets everything.

console   %s
base URL  %s/api/v1
API key   %s

Paste this to ask what is below its minimum:

curl -s %s/v1/chat/completions -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"model":"kopeck","messages":[{"role":"user","content":"Что ниже неснижаемого остатка?"}]}'

`, base, base, d.secret, base, d.secret)
}
