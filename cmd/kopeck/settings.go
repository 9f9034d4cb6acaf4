package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// storage is the settings of the database, and of the key that encrypts the tokens in it.
type storage struct {
	DatabaseURL string `env:"KOPECK_DATABASE_URL" default:"sqlite:var/kopeck.db" help:"sqlite:PATH, or postgres://… for several replicas."`
	MasterKey   string `env:"KOPECK_MASTER_KEY" help:"32 bytes in base64: encrypts tokens and protects the hashes of keys."`
}

// defaultFolder is the folder of the default database, in the working directory.
const defaultFolder = "var"

// open opens the database and migrates it. It creates only the folder of the default database.
func (s storage) open(ctx context.Context) (*database.DB, error) {
	if s.DatabaseURL == "sqlite:"+defaultFolder+"/kopeck.db" {
		if err := os.MkdirAll(defaultFolder, 0o700); err != nil { // it will have the conversations of all organizations
			return nil, fmt.Errorf("create the database folder: %w", err)
		}
	}
	db, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func (s storage) connect(ctx context.Context) (*database.DB, error) {
	db, err := database.Open(ctx, s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("KOPECK_DATABASE_URL: %w", err)
	}
	return db, nil
}

// openExisting opens the database as it is. It neither creates nor migrates it.
func (s storage) openExisting(ctx context.Context) (*database.DB, error) {
	if path, is := strings.CutPrefix(s.DatabaseURL, "sqlite:"); is {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("KOPECK_DATABASE_URL: %w; correct the path, or create the database with kopeck org create", err)
		}
	}
	db, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := db.Ready(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("%w; kopeck serve creates and updates the tables", err)
	}
	return db, nil
}

// noteCreated tells the user that the database is new, in case the path was mistyped.
func noteCreated(to io.Writer, db *database.DB) {
	if db.CreatedFile != "" {
		fmt.Fprintf(to, "kopeck created a new database at %s\n", db.CreatedFile)
	}
}

func (s storage) masterKey() (keys.MasterKey, error) {
	const allowed = "32 random bytes in base64 (44 characters); make one with: head -c 32 /dev/urandom | base64"
	if s.MasterKey == "" {
		return keys.MasterKey{}, settingError("KOPECK_MASTER_KEY", "is not set", allowed)
	}
	redact.AddSecrets(strings.TrimSpace(s.MasterKey))
	key, err := keys.ParseMasterKey(s.MasterKey)
	if err != nil {
		return key, settingError("KOPECK_MASTER_KEY", fmt.Sprintf("holds %d characters (%v)", len(s.MasterKey), err), allowed)
	}
	return key, nil
}

// wrongMasterKey adds the name of the setting to an error that says that the database was written with another master key.
func wrongMasterKey(err error) error {
	if errors.Is(err, keys.ErrWrongMasterKey) {
		return fmt.Errorf("KOPECK_MASTER_KEY: %w; allowed: the key that this database was first used with", err)
	}
	return err
}

// upstream is the settings for requests to MoySklad: its address and the limits.
type upstream struct {
	UpstreamURL       string `env:"KOPECK_UPSTREAM_URL" default:"https://api.moysklad.ru/api/remap/1.2" help:"Address of MoySklad's API."`
	UpstreamRate      int    `env:"KOPECK_UPSTREAM_RATE" default:"6" help:"Calls per second to one account, 1 to 6."`
	UpstreamStockRate int    `env:"KOPECK_UPSTREAM_STOCK_RATE" default:"2" help:"Of these, calls to stock reports, 1 or 2."`
	UpstreamParallel  int    `env:"KOPECK_UPSTREAM_PARALLEL" default:"4" help:"Concurrent calls to one account, 1 to 5."`
}

func (u upstream) check() error {
	const allowed = "an http or https address without a query or password"
	at, err := url.Parse(u.UpstreamURL)
	if err != nil {
		return settingError("KOPECK_UPSTREAM_URL", "cannot be read", allowed)
	}
	if at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return settingError("KOPECK_UPSTREAM_URL", fmt.Sprintf("holds %q", at.Redacted()), allowed)
	}
	for _, setting := range []struct {
		name         string
		value, limit int
	}{
		{"KOPECK_UPSTREAM_RATE", u.UpstreamRate, 6},
		{"KOPECK_UPSTREAM_STOCK_RATE", u.UpstreamStockRate, 2},
		{"KOPECK_UPSTREAM_PARALLEL", u.UpstreamParallel, 5},
	} {
		if setting.value < 1 || setting.value > setting.limit {
			return settingError(
				setting.name, fmt.Sprintf("holds %d", setting.value), fmt.Sprintf("1 to %d; it can be lowered but not raised", setting.limit),
			)
		}
	}
	return nil
}

func (u upstream) pool(
	ledgers moysklad.Ledgers, restarted bool, log *slog.Logger, observe func(moysklad.Observation),
) (*moysklad.Pool, error) {
	return moysklad.NewPool(moysklad.Config{
		URL:       u.UpstreamURL,
		Rate:      u.UpstreamRate,
		StockRate: u.UpstreamStockRate,
		Parallel:  u.UpstreamParallel,
		Ledgers:   ledgers,
		Restarted: restarted,
		Log:       log,
		Observe:   observe,
	})
}

// logging is the settings of the log. The log is lines of JSON on standard error.
type logging struct {
	LogLevel string `env:"KOPECK_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

func (l logging) logger(to *logBuffer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.LogLevel)); err != nil {
		return nil, settingError("KOPECK_LOG_LEVEL", fmt.Sprintf("holds %q", l.LogLevel), "debug, info, warn or error")
	}
	return slog.New(flushingHandler{slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level}), to}), nil
}

// serviceSettings are the addresses of the service, and how long drafts and sessions are kept.
type serviceSettings struct {
	Addr        string        `env:"KOPECK_ADDR" default:"127.0.0.1:8080" help:"Listen address."`
	MetricsAddr string        `env:"KOPECK_METRICS_ADDR" help:"Separate listen address for /metrics."`
	DraftTTL    time.Duration `env:"KOPECK_DRAFT_TTL" default:"24h" help:"How long a draft can be confirmed."`
	Retention   time.Duration `env:"KOPECK_SESSION_RETENTION" name:"session-retention" default:"0" help:"How long a session is kept after its last use; 0 means until it is deleted."`

	CORSOrigins []string `env:"KOPECK_CORS_ORIGINS" name:"cors-origins" help:"Comma-separated origins whose pages can read answers; by default any."`

	WebhookPrivate bool `env:"KOPECK_WEBHOOK_PRIVATE" help:"Allow webhooks to private addresses and over plain http."`

	// Only for operations and tests, see [drafts.Creator]. 0 means the default.
	DraftLease time.Duration `env:"KOPECK_DRAFT_LEASE" hidden:""`
	DraftQuiet time.Duration `env:"KOPECK_DRAFT_QUIET" hidden:""`
}

func (s serviceSettings) check() error {
	for name, addr := range map[string]string{"KOPECK_ADDR": s.Addr, "KOPECK_METRICS_ADDR": s.MetricsAddr} {
		if addr == "" && name == "KOPECK_METRICS_ADDR" {
			continue
		}
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return settingError(name, fmt.Sprintf("holds %q", addr), "HOST:PORT, for instance 127.0.0.1:8080")
		}
	}
	for _, origin := range s.origins() {
		if at, err := url.Parse(origin); err != nil || at.Host == "" || at.Scheme+"://"+at.Host != origin {
			return settingError(
				"KOPECK_CORS_ORIGINS",
				fmt.Sprintf("holds %q", origin),
				"comma-separated origins in the form that browsers send, such as https://chat.example",
			)
		}
	}
	if s.DraftTTL <= 0 {
		return settingError("KOPECK_DRAFT_TTL", "holds "+s.DraftTTL.String(), "a duration above zero, for instance 24h")
	}
	if s.Retention != 0 && s.Retention < s.DraftTTL {
		return settingError("KOPECK_SESSION_RETENTION", "holds "+s.Retention.String(),
			"0, or a duration not below KOPECK_DRAFT_TTL ("+s.DraftTTL.String()+"), because a draft is confirmed in its session")
	}
	return nil
}

func (s serviceSettings) origins() []string {
	trimmed := make([]string, len(s.CORSOrigins))
	for i, origin := range s.CORSOrigins {
		trimmed[i] = strings.TrimSpace(origin)
	}
	return trimmed
}

// settingError returns an error in one line. It says which setting is wrong, in which way, and what is allowed. With the name of
// a variable it also names the flag, because either can hold the value.
func settingError(name, problem, allowed string) error {
	if flag, is := strings.CutPrefix(name, "KOPECK_"); is {
		name += " (--" + strings.ReplaceAll(strings.ToLower(flag), "_", "-") + ")"
	}
	return fmt.Errorf("%s %s; allowed: %s", name, problem, allowed)
}
