package keys

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// Store holds organizations, API keys, connections, limits and the audit. It is safe for concurrent use. Any number of
// stores may share a PostgreSQL database.
type Store struct {
	// Clock is the clock that all replicas share. Keys expire by it, so that a replica whose own clock is wrong accepts none
	// for longer. It is read with the change count, once a second. nil means the clock given to NewStore. Set it before use.
	Clock func(context.Context) (time.Time, error)

	db          *sql.DB
	readDB      *sql.DB // for reads that hold up requests
	now         func() time.Time
	hashKey     []byte // for the HMACs of API keys
	sealer      sealer
	recordKey   []byte // for the MACs of records
	fingerprint string

	// Caches of what requests need most often.
	changes     changeCounter
	callers     *cache[[sha256.Size]byte, Caller]     // by the SHA-256 of the key's secret
	callersByID *cache[objectRef, Caller]             // by organization and key
	connections *cache[string, []Connection]          // by organization
	unsealed    *cache[objectRef, UnsealedConnection] // by organization and connection
	limits      *cache[objectRef, []SubjectLimits]    // by organization and key

	mu sync.Mutex
	// Times of last use that have not been written yet.
	lastUsed map[objectRef]time.Time
}

// NewStore returns a store on a migrated database. It panics if the master key is zero.
func NewStore(db *sql.DB, master MasterKey, now func() time.Time) *Store {
	if master == (MasterKey{}) {
		panic("keys: NewStore with a zero master key")
	}
	s := &Store{
		db:          db,
		readDB:      db,
		now:         now,
		hashKey:     master.derive(forHashes),
		sealer:      newSealer(master),
		recordKey:   master.derive(forRecords),
		fingerprint: master.fingerprint(),
		lastUsed:    map[objectRef]time.Time{},
	}
	s.changes.read = s.countChanges
	s.callers = newCache[[sha256.Size]byte, Caller](&s.changes, keyCacheTTL)
	s.callersByID = newCache[objectRef, Caller](&s.changes, keyCacheTTL)
	s.connections = newCache[string, []Connection](&s.changes, connectionCacheTTL)
	s.unsealed = newCache[objectRef, UnsealedConnection](&s.changes, connectionCacheTTL)
	s.limits = newCache[objectRef, []SubjectLimits](&s.changes, keyCacheTTL)
	return s
}

// UseReadDB makes the store use db for reads that hold up requests, so that these do not wait for writers. It returns s.
func (s *Store) UseReadDB(db *sql.DB) *Store {
	s.readDB = db
	return s
}

// auditEvent describes a change for the audit. The zero value means that nothing changed.
type auditEvent struct {
	action, object string
	details        any
}

// changeAndAudit runs f in a transaction and audits the event that f returns. Changes to one organization run one after
// another, across all replicas. The error says what was being done. It wraps [ErrRevoked], [ErrExpired] or [ErrAltered] if the
// caller's key is no longer valid.
func (s *Store) changeAndAudit(ctx context.Context, by Caller, orgID, doing string, f func(*sql.Tx) (auditEvent, error)) error {
	if !by.mayActOn(orgID) {
		return fmt.Errorf("%s: %w", doing, ErrDenied)
	}
	if _, err := s.changes.current(ctx, s.now()); err != nil { // on the command line, nothing else has read the shared clock
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.changes.madeHere.Add(1) // even after an error: the change may still have been stored
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		if _, err := lockAudit(ctx, tx, orgID); err != nil {
			return err
		}
		if err := s.CheckKeyStillValid(ctx, tx, by); err != nil {
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
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// mayActOn reports whether the caller may act for the organization. It does not check scopes.
func (c Caller) mayActOn(orgID string) bool {
	return c.Operator || c.OrganizationID == orgID && orgID != ""
}

// rowQuerier is a database or a transaction.
type rowQuerier interface {
	database.Querier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// maxName is the longest name, in characters.
const maxName = 200

// checkName returns what is wrong with the name of a key, connection or organization.
func checkName(name string) []*check.Problem {
	switch length := utf8.RuneCountInString(name); {
	case length < 1 || length > maxName:
		return []*check.Problem{wrongLength.At("name", maxName).WithValue(length)}
	case strings.TrimSpace(name) == "":
		return []*check.Problem{blank.At("name").WithValue(name)}
	case !utf8.ValidString(name):
		return []*check.Problem{notUTF8.At("name").WithValue(name)}
	case strings.ContainsFunc(name, unicode.IsControl):
		return []*check.Problem{withControl.At("name").WithValue(name)}
	}
	return nil
}

// boolInt returns a bool as the tables store it.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
