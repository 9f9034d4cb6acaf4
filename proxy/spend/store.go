package spend

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/schemas/database"
)

// Store records how much each key has used each model, and what that cost. It collects additions in memory and writes them
// together, so that requests do not wait for the database. If the process is killed, what was added since the last write is
// lost.
type Store struct {
	db  *sql.DB
	now func() time.Time

	mu      sync.Mutex
	pending map[entryRef]entry // added since the last batch was begun

	writing sync.Mutex
	batch   batch // the last batch; empty once it is written
}

// batch is what is written in one transaction, once. Its number is stored with it: if COMMIT fails and the batch is written
// again, the number shows whether it is already there.
type batch struct {
	writer  string // identifies the store
	number  int64  // 1, 2, 3 …
	entries map[entryRef]entry
}

// entryRef identifies a key's use of a model in one hour.
type entryRef struct {
	organizationID, keyID, model string
	hour                         int64
}

// entry holds counts and costs by currency.
type entry struct {
	Counts
	costs map[string]Sum
}

// HourlyUse is a key's use of one model in one hour.
type HourlyUse struct {
	Hour  time.Time `json:"hour"` // start of the hour
	KeyID string    `json:"key_id"`
	Model string    `json:"model"`
	Counts
}

// NewStore returns a store on a migrated database.
func NewStore(db *sql.DB, now func() time.Time) *Store {
	return &Store{db: db, now: now, pending: map[entryRef]entry{}, batch: batch{writer: uuid.NewString()}}
}

// Add records that a key has used a model now. A nil cost means that the cost is unknown. Add does not wait for the
// database.
func (s *Store) Add(organizationID, keyID, model string, counts Counts, cost *Sum, currency string) {
	ref := entryRef{organizationID, keyID, model, s.now().Truncate(time.Hour).UnixMicro()}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.pending[ref]
	e.Counts = e.plus(counts)
	if cost != nil && currency != "" {
		if e.costs == nil {
			e.costs = map[string]Sum{}
		}
		e.costs[currency] = e.costs[currency].Plus(*cost)
	}
	s.pending[ref] = e
}

// writeInterval is the time between writes.
const writeInterval = 10 * time.Second

// Run writes the additions every 10 seconds, and once more when ctx ends. A failed write is repeated before the next one. Run
// passes errors to failed.
func (s *Store) Run(ctx context.Context, failed func(error)) {
	database.WriteEvery(ctx, writeInterval, s.write, failed)
}

// write writes the batch whose write failed, if there is one, and then what has been added since.
func (s *Store) write(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writeBatch(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.batch.number, s.batch.entries = s.batch.number+1, s.pending
	s.pending = map[entryRef]entry{}
	s.mu.Unlock()
	return s.writeBatch(ctx)
}

func (s *Store) writeBatch(ctx context.Context) error {
	if len(s.batch.entries) == 0 {
		return nil
	}
	err := database.InTx(ctx, s.db, func(tx *sql.Tx) error {
		isNew, err := s.batch.claim(ctx, tx, s.now())
		if err != nil || !isNew {
			return err
		}
		return writeAll(ctx, tx, s.batch.entries)
	})
	if err != nil {
		return fmt.Errorf("write the usage of models: %w", err)
	}
	s.batch.entries = nil
	return nil
}

// writerLifetime is how long the number of a store's last batch is kept. It is much longer than any store tries to write a batch.
const writerLifetime = 90 * 24 * time.Hour

// claim stores the batch's number. It returns false if the batch is already written.
func (b batch) claim(ctx context.Context, tx *sql.Tx, now time.Time) (isNew bool, err error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM usage_writers WHERE written_at < $1`, now.Add(-writerLifetime).UnixMicro()); err != nil {
		return false, err
	}
	return database.Changed(tx.ExecContext(ctx, `
		INSERT INTO usage_writers (id, batch, written_at) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, written_at = excluded.written_at WHERE usage_writers.batch < excluded.batch`,
		b.writer, b.number, now.UnixMicro()))
}

// writeAll writes rows in a fixed order, so that two replicas cannot deadlock.
func writeAll(ctx context.Context, tx *sql.Tx, added map[entryRef]entry) error {
	for _, ref := range slices.SortedFunc(maps.Keys(added), compareRefs) {
		e := added[ref]
		if err := e.write(ctx, tx, ref); err != nil {
			return err
		}
		for _, currency := range slices.Sorted(maps.Keys(e.costs)) {
			if err := writeCost(ctx, tx, ref, currency, e.costs[currency]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Counts) write(ctx context.Context, tx *sql.Tx, ref entryRef) error {
	_, err := tx.ExecContext(ctx, insertCounts, c.scanTargets(ref.organizationID, ref.keyID, ref.model, ref.hour)...)
	return err
}

var insertCounts = func() string {
	var columns, places, sums strings.Builder
	for i, name := range CountNames() {
		fmt.Fprintf(&columns, ", %s", name)
		fmt.Fprintf(&places, ", $%d", i+5)
		fmt.Fprintf(&sums, ", %s = model_usage.%s + excluded.%s", name, name, name)
	}
	return "INSERT INTO model_usage (organization_id, key_id, model, hour" + columns.String() + ") VALUES ($1, $2, $3, $4" + places.String() +
		") ON CONFLICT (organization_id, hour, key_id, model) DO UPDATE SET " + sums.String()[2:]
}()

func writeCost(ctx context.Context, tx *sql.Tx, ref entryRef, currency string, cost Sum) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO model_costs (organization_id, key_id, model, hour, currency, units, parts) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (organization_id, hour, key_id, model, currency) DO UPDATE SET
			units = model_costs.units + excluded.units + (model_costs.parts + excluded.parts) / 1000000000000,
			parts = (model_costs.parts + excluded.parts) % 1000000000000`,
		ref.organizationID, ref.keyID, ref.model, ref.hour, currency, cost.Units, cost.Parts)
	return err
}

func compareRefs(a, b entryRef) int {
	return cmp.Or(
		cmp.Compare(a.organizationID, b.organizationID),
		cmp.Compare(a.hour, b.hour),
		cmp.Compare(a.keyID, b.keyID),
		cmp.Compare(a.model, b.model),
	)
}

// List lists an organization's use, the latest hour first.
func (s *Store) List(ctx context.Context, organizationID string, page database.Page) (list []HourlyUse, next string, err error) {
	return database.ReadPage(ctx, s.db, page, "the usage of models", scanHourlyUse,
		func(r HourlyUse) database.RowKey {
			return database.RowKey{Number: r.Hour.UnixMicro(), ID: r.KeyID + " " + r.Model}
		}, `
		SELECT hour, key_id, model, `+strings.Join(CountNames(), ", ")+` FROM model_usage
		WHERE organization_id = $4 AND (hour < $1 OR hour = $1 AND key_id || ' ' || model < $2)
		ORDER BY hour DESC, key_id || ' ' || model DESC LIMIT $3`, organizationID)
}

func scanHourlyUse(row database.Row) (r HourlyUse, err error) {
	var hour int64
	err = row.Scan(r.scanTargets(&hour, &r.KeyID, &r.Model)...)
	r.Hour = database.Moment(hour)
	return r, err
}
