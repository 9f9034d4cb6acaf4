package keys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/schemas/database"
)

// Store keeps organizations, API keys, connections and the audit of what was done to them. It may be used from many
// goroutines, and any number of stores may share a PostgreSQL database.
type Store struct {
	db          *sql.DB
	reading     *sql.DB // for what every request waits for
	now         func() time.Time
	macs        *sync.Pool // of HMAC-SHA-256 under the key of digests: setting one up costs as much as using it
	sealer      sealer
	recordKey   []byte // of the records' MACs
	fingerprint string

	// What requests ask again and again.
	changes     changes
	callers     *memory[[sha256.Size]byte, Caller] // by the SHA-256 of the key
	standing    *memory[owned, Caller]             // by the organization that is acted on, and the key
	connections *memory[string, []Connection]      // all of an organization
	accesses    *memory[owned, Access]             // by the organization and the connection
	limits      *memory[owned, []Bounded]          // by the organization that is acted on, and the key

	mu sync.Mutex
	// used is when each key was last used since the last flush.
	used map[owned]time.Time
}

// NewStore works on migrated tables. The master key must be a parsed or drawn one; a zero one panics.
func NewStore(db *sql.DB, master MasterKey, now func() time.Time) *Store {
	if master == (MasterKey{}) {
		panic("keys: NewStore with a zero master key")
	}
	digestKey := master.derive(forDigests)
	s := &Store{
		db:          db,
		reading:     db,
		now:         now,
		macs:        &sync.Pool{New: func() any { return hmac.New(sha256.New, digestKey) }},
		sealer:      newSealer(master),
		recordKey:   master.derive(forRecords),
		fingerprint: master.fingerprint(),
		used:        map[owned]time.Time{},
	}
	s.changes.read = s.countChanges
	s.callers = newMemory[[sha256.Size]byte, Caller](&s.changes, keyLife)
	s.standing = newMemory[owned, Caller](&s.changes, keyLife)
	s.connections = newMemory[string, []Connection](&s.changes, connectionLife)
	s.accesses = newMemory[owned, Access](&s.changes, connectionLife)
	s.limits = newMemory[owned, []Bounded](&s.changes, keyLife)
	return s
}

// ReadWith has what every request waits for read over connections that no writer holds. It gives s back.
func (s *Store) ReadWith(reading *sql.DB) *Store {
	s.reading = reading
	return s
}

// event is what a change was, for the audit. The zero event means that nothing changed.
type event struct {
	action, object string
	details        any
}

// change runs f in a transaction that also writes what f did to the audit. Changes of one organization run one after
// another, on all replicas.
func (s *Store) change(ctx context.Context, by Caller, orgID string, f func(*sql.Tx) (event, error)) error {
	if !by.belongsTo(orgID) {
		return ErrDenied
	}
	defer s.forget()
	return database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if _, err := lockChain(ctx, tx, orgID); err != nil {
			return err
		}
		e, err := f(tx)
		if err != nil || e.action == "" {
			return err
		}
		if err := addChange(ctx, tx); err != nil {
			return err
		}
		return s.RecordAudit(ctx, tx, by, orgID, s.now(), e.action, e.object, e.details)
	})
}

func (s *Store) forget() {
	s.callers.forget()
	s.standing.forget()
	s.connections.forget()
	s.accesses.forget()
	s.limits.forget()
}

// belongsTo reports whether the caller may act on the organization at all; what it may do there is its scopes' matter.
func (c Caller) belongsTo(orgID string) bool {
	return c.Operator || c.OrganizationID == orgID && orgID != ""
}

// querier is a database or a transaction.
type querier interface {
	database.Querier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// maxName is how long a name may be, in characters.
const maxName = 200

// checkName returns what is wrong with the name that people give to something, or nothing.
func checkName(name string) []FieldProblem {
	length := utf8.RuneCountInString(name)
	var problem string
	switch {
	case length < 1 || length > maxName:
		problem = fmt.Sprintf("must be 1 to %d characters, got %d", maxName, length)
	case strings.TrimSpace(name) == "":
		problem = fmt.Sprintf("must not be blank, got %q", name)
	case !utf8.ValidString(name):
		problem = fmt.Sprintf("must be UTF-8 text, got %q", name)
	case strings.ContainsFunc(name, unicode.IsControl):
		problem = fmt.Sprintf("must be without control characters, got %q", name)
	default:
		return nil
	}
	return []FieldProblem{{"name", problem}}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// flag is a truth value as the tables keep it.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func optionalMoment(micros sql.Null[int64]) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := database.Moment(micros.V)
	return &t
}

// missing turns "no such row" into [ErrNotFound], naming what was looked for.
func missing(err error, kind, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	return err
}
