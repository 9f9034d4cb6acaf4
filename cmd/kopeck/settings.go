package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// storage is where organizations, keys and sessions are kept, and what seals the upstream tokens among them.
type storage struct {
	DatabaseURL string `env:"KOPECK_DATABASE_URL" default:"sqlite:var/kopeck.db" help:"sqlite:PATH, or postgres://… for several replicas."`
	MasterKey   string `env:"KOPECK_MASTER_KEY" help:"32 bytes in base64: seals upstream tokens and digests keys."`
}

// open opens the database and migrates it.
func (s storage) open(ctx context.Context) (*database.DB, error) {
	db, err := database.Open(ctx, s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("KOPECK_DATABASE_URL: %w", err)
	}
	if err := db.Migrate(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("migrate the database: %w", err)
	}
	return db, nil
}

func (s storage) masterKey() (keys.MasterKey, error) {
	if s.MasterKey == "" {
		return keys.MasterKey{}, setting("KOPECK_MASTER_KEY", "is not set",
			"32 random bytes in base64; make one with: head -c 32 /dev/urandom | base64")
	}
	if raw, err := base64.StdEncoding.DecodeString(s.MasterKey); err != nil || len(raw) != 32 {
		return keys.MasterKey{}, setting("KOPECK_MASTER_KEY", fmt.Sprintf("holds %d characters", len(s.MasterKey)),
			"32 random bytes in base64 (44 characters); make one with: head -c 32 /dev/urandom | base64")
	}
	redact.AddSecrets(s.MasterKey)
	key, err := keys.ParseMasterKey(s.MasterKey)
	if err != nil {
		return key, fmt.Errorf("KOPECK_MASTER_KEY: %w", err)
	}
	return key, nil
}

// wrongMasterKey names the setting, if err is that the database was written under another master key.
func wrongMasterKey(err error) error {
	if errors.Is(err, keys.ErrWrongMasterKey) {
		return fmt.Errorf("KOPECK_MASTER_KEY: %w; allowed: the key that this database was first used with", err)
	}
	return err
}

// upstream is how the account is reached and how politely.
type upstream struct {
	UpstreamURL       string `env:"KOPECK_UPSTREAM_URL" default:"https://api.moysklad.ru/api/remap/1.2" help:"Where requests to the upstream are sent."`
	UpstreamRate      int    `env:"KOPECK_UPSTREAM_RATE" default:"6" help:"Calls a second to one account, 1 to 6."`
	UpstreamStockRate int    `env:"KOPECK_UPSTREAM_STOCK_RATE" default:"2" help:"Of these, calls to stock reports, 1 or 2."`
	UpstreamParallel  int    `env:"KOPECK_UPSTREAM_PARALLEL" default:"4" help:"Calls in flight to one account, 1 to 5."`
}

func (u upstream) check() error {
	const allowed = "an http or https address without a query or password"
	at, err := url.Parse(u.UpstreamURL)
	if err != nil {
		return setting("KOPECK_UPSTREAM_URL", "cannot be read", allowed)
	}
	if at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return setting("KOPECK_UPSTREAM_URL", fmt.Sprintf("holds %q", at.Redacted()), allowed)
	}
	for _, bound := range []struct {
		name        string
		held, limit int
	}{
		{"KOPECK_UPSTREAM_RATE", u.UpstreamRate, 6},
		{"KOPECK_UPSTREAM_STOCK_RATE", u.UpstreamStockRate, 2},
		{"KOPECK_UPSTREAM_PARALLEL", u.UpstreamParallel, 5},
	} {
		if bound.held < 1 || bound.held > bound.limit {
			return setting(
				bound.name, fmt.Sprintf("holds %d", bound.held), fmt.Sprintf("1 to %d; it may be lowered, never raised", bound.limit),
			)
		}
	}
	return nil
}

func (u upstream) pool(ledgers moysklad.Ledgers, log *slog.Logger, observe func(moysklad.Observation)) (*moysklad.Pool, error) {
	return moysklad.NewPool(moysklad.Config{
		URL:       u.UpstreamURL,
		Rate:      u.UpstreamRate,
		StockRate: u.UpstreamStockRate,
		Parallel:  u.UpstreamParallel,
		Ledgers:   ledgers,
		Log:       log,
		Observe:   observe,
	})
}

// logging is the service's log: JSON lines on standard error.
type logging struct {
	LogLevel string `env:"KOPECK_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

func (l logging) logger(to *lines) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.LogLevel)); err != nil {
		return nil, setting("KOPECK_LOG_LEVEL", fmt.Sprintf("holds %q", l.LogLevel), "debug, info, warn or error")
	}
	return slog.New(prompt{slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level}), to}), nil
}

// listening is the service's address and the life of its drafts and sessions.
type listening struct {
	Addr        string        `env:"KOPECK_ADDR" default:"127.0.0.1:8080" help:"Listen address."`
	MetricsAddr string        `env:"KOPECK_METRICS_ADDR" help:"Separate listen address of /metrics."`
	DraftTTL    time.Duration `env:"KOPECK_DRAFT_TTL" default:"24h" help:"How long a draft can be confirmed."`
	Retention   time.Duration `env:"KOPECK_SESSION_RETENTION" name:"session-retention" default:"0" help:"How long after its last use a session is kept; 0 is until it is deleted."`

	CORSOrigins []string `env:"KOPECK_CORS_ORIGINS" name:"cors-origins" help:"Origins, with commas between, whose pages may read answers; none named is any."`

	WebhookPrivate bool `env:"KOPECK_WEBHOOK_PRIVATE" help:"Let webhooks go to private addresses and over plain http."`

	// For operations and tests; [drafts.Creator] says what they are. 0 is its own default.
	DraftLease time.Duration `env:"KOPECK_DRAFT_LEASE" hidden:""`
	DraftQuiet time.Duration `env:"KOPECK_DRAFT_QUIET" hidden:""`
}

func (l listening) check() error {
	for name, addr := range map[string]string{"KOPECK_ADDR": l.Addr, "KOPECK_METRICS_ADDR": l.MetricsAddr} {
		if addr == "" && name == "KOPECK_METRICS_ADDR" {
			continue
		}
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return setting(name, fmt.Sprintf("holds %q", addr), "HOST:PORT, for instance 127.0.0.1:8080")
		}
	}
	for _, origin := range l.origins() {
		if at, err := url.Parse(origin); err != nil || at.Host == "" || at.Scheme+"://"+at.Host != origin {
			return setting(
				"KOPECK_CORS_ORIGINS",
				fmt.Sprintf("holds %q", origin),
				"origins as browsers send them, https://chat.example, with commas between",
			)
		}
	}
	if l.DraftTTL <= 0 {
		return setting("KOPECK_DRAFT_TTL", "holds "+l.DraftTTL.String(), "a duration above zero, for instance 24h")
	}
	if l.Retention != 0 && l.Retention < l.DraftTTL {
		return setting("KOPECK_SESSION_RETENTION", "holds "+l.Retention.String(),
			"0, or a duration not below KOPECK_DRAFT_TTL ("+l.DraftTTL.String()+"), for a draft is confirmed in its session")
	}
	return nil
}

func (l listening) origins() []string {
	trimmed := make([]string, len(l.CORSOrigins))
	for i, origin := range l.CORSOrigins {
		trimmed[i] = strings.TrimSpace(origin)
	}
	return trimmed
}

// setting is the one line that stops the start: the variable, what it held and what is allowed.
func setting(name, held, allowed string) error {
	return fmt.Errorf("%s %s; allowed: %s", name, held, allowed)
}
