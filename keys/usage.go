package keys

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Usage keeps how much each key has asked of models. What is added is summed in memory and written together, so that a
// request does not wait for the database. A process that is killed loses what it has added since it last wrote.
type Usage struct {
	db  *sql.DB
	now func() time.Time

	mu    sync.Mutex
	added map[usageRef]UsageCounts // since it was last written
}

// usageRef is a key's use of a model in one hour.
type usageRef struct {
	organizationID, keyID, model string
	hour                         int64
}

// UsageCounts are how many requests there were, and how many tokens as far as the provider said.
type UsageCounts struct {
	Requests         int64 `json:"requests"`
	Failed           int64 `json:"failed"`
	Uncounted        int64 `json:"uncounted"` // requests of which the tokens are not known
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
}

func (c UsageCounts) plus(d UsageCounts) UsageCounts {
	return UsageCounts{
		c.Requests + d.Requests, c.Failed + d.Failed, c.Uncounted + d.Uncounted,
		c.PromptTokens + d.PromptTokens, c.CompletionTokens + d.CompletionTokens,
	}
}

// UsageRecord is what one key has asked of one model in one hour.
type UsageRecord struct {
	Hour  time.Time `json:"hour"` // its beginning
	KeyID string    `json:"key_id"`
	Model string    `json:"model"`
	UsageCounts
}

// NewUsage works on migrated tables.
func NewUsage(db *sql.DB, now func() time.Time) *Usage {
	return &Usage{db: db, now: now, added: map[usageRef]UsageCounts{}}
}

// Add counts what a key has asked of a model just now. It does not block on the database.
func (u *Usage) Add(organizationID, keyID, model string, counts UsageCounts) {
	ref := usageRef{organizationID, keyID, model, u.now().Truncate(time.Hour).UnixMicro()}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.added[ref] = u.added[ref].plus(counts)
}

// usageEvery is how late the sums may be.
const usageEvery = 10 * time.Second

// Run writes what has been added, every 10 seconds and once more when ctx ends. What could not be written is tried again with
// what comes next; the error is the last time's.
func (u *Usage) Run(ctx context.Context) error { return writeEvery(ctx, usageEvery, u.write) }

func (u *Usage) write(ctx context.Context) error {
	u.mu.Lock()
	added := u.added
	u.added = map[usageRef]UsageCounts{}
	u.mu.Unlock()
	if len(added) == 0 {
		return nil
	}
	if err := u.writeAll(ctx, added); err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		for ref, counts := range added {
			u.added[ref] = u.added[ref].plus(counts)
		}
		return fmt.Errorf("write the usage of models: %w", err)
	}
	return nil
}

// writeAll goes in one order, so that two replicas never wait for each other's rows in turn.
func (u *Usage) writeAll(ctx context.Context, added map[usageRef]UsageCounts) error {
	tx, err := u.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, ref := range slices.SortedFunc(maps.Keys(added), compareRefs) {
		c := added[ref]
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO model_usage (organization_id, key_id, model, hour, requests, failed, uncounted, prompt_tokens, completion_tokens)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (organization_id, hour, key_id, model) DO UPDATE SET
				requests = model_usage.requests + excluded.requests, failed = model_usage.failed + excluded.failed,
				uncounted = model_usage.uncounted + excluded.uncounted, prompt_tokens = model_usage.prompt_tokens + excluded.prompt_tokens,
				completion_tokens = model_usage.completion_tokens + excluded.completion_tokens`,
			ref.organizationID, ref.keyID, ref.model, ref.hour, c.Requests, c.Failed, c.Uncounted, c.PromptTokens, c.CompletionTokens); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func compareRefs(a, b usageRef) int {
	return cmp.Or(cmp.Compare(a.organizationID, b.organizationID), cmp.Compare(a.hour, b.hour), cmp.Compare(a.keyID, b.keyID), cmp.Compare(a.model, b.model))
}

// List shows an organization's usage, the latest hour first.
func (u *Usage) List(ctx context.Context, organizationID string, page Page) (shown []UsageRecord, next string, err error) {
	limit, after, err := page.read()
	if err != nil {
		return nil, "", err
	}
	rows, err := database.Rows(ctx, u.db, scanUsage, `
		SELECT hour, key_id, model, requests, failed, uncounted, prompt_tokens, completion_tokens FROM model_usage
		WHERE organization_id = $1 AND (hour < $2 OR hour = $2 AND key_id || ' ' || model < $3)
		ORDER BY hour DESC, key_id || ' ' || model DESC LIMIT $4`, organizationID, after.Number, after.ID, limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list the usage of models: %w", err)
	}
	shown, next = database.Cut(rows, limit, func(r UsageRecord) database.Mark {
		return database.Mark{Number: r.Hour.UnixMicro(), ID: r.KeyID + " " + r.Model}
	})
	return shown, next, nil
}

func scanUsage(row database.Row) (r UsageRecord, err error) {
	var hour int64
	err = row.Scan(&hour, &r.KeyID, &r.Model, &r.Requests, &r.Failed, &r.Uncounted, &r.PromptTokens, &r.CompletionTokens)
	r.Hour = database.Moment(hour)
	return r, err
}
