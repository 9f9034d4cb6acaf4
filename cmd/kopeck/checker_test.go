package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// history is what is known about an organization's drafts after a test: the audit, the requests to the account, and the
// answers to clients.
type history struct {
	audit        []keys.AuditRecord
	drafts       map[string]draftRow // id → draft
	writes       []write             // requests to the account
	documents    []sandbox.Document  // created by these writes
	acknowledged map[string]bool     // id of a draft → whether its confirmation was answered with 200 or 202
}

// draftRow is a draft as it was created.
type draftRow struct {
	digest, syncID string
	writes         []drafts.Write
}

// draftLife is what the audit says about one draft.
type draftLife struct {
	made, confirmed, settled int
	digest                   string // the digest that was confirmed
	at                       time.Time
	state                    string
	document                 string
}

// check returns all violations of these promises:
//   - Each write follows a confirmation of its draft with the right digest.
//   - A draft that was created has one document; any other has none.
//   - An acknowledged confirmation ends as created or failed.
func (h history) check() (broken []string) {
	lives := h.lives()
	wrong := func(format string, about ...any) { broken = append(broken, fmt.Sprintf(format, about...)) }
	bySync := map[string]string{}
	for id, d := range h.drafts {
		bySync[d.syncID] = id
		l := lives[id]
		if l.made != 1 || l.confirmed > 1 || l.settled > 1 || l.settled > l.confirmed && l.state != "draft.cancelled" {
			wrong("draft %s was made %d times, confirmed %d and settled %d", id, l.made, l.confirmed, l.settled)
		}
		if l.confirmed > 0 && l.digest != d.digest {
			wrong("draft %s was confirmed with another digest", id)
		}
		if h.acknowledged[id] && l.state != "draft.created" && l.state != "draft.failed" {
			wrong("the confirmation of draft %s was acknowledged, and it ended %q", id, l.state)
		}
	}
	for _, w := range h.writes {
		id := h.owner(w, bySync)
		if l := lives[id]; id == "" || l.confirmed == 0 || l.at.After(w.at) {
			wrong("%s %s reached the account without an earlier confirmation (draft %q)", w.method, w.path, id)
		}
	}
	made := map[string][]string{}
	for _, d := range h.documents {
		made[bySync[d.SyncID]] = append(made[bySync[d.SyncID]], d.ID)
	}
	for id, documents := range made {
		if l := lives[id]; len(documents) != 1 || l.state != "draft.created" || l.document != documents[0] {
			wrong("draft %q, %s as %s, has %d documents", id, l.state, l.document, len(documents))
		}
	}
	for id, l := range lives {
		if creates := h.drafts[id].writes; l.state == "draft.created" && creates[0].ID == "" && len(made[id]) != 1 {
			wrong("draft %s is created, and has %d documents", id, len(made[id]))
		}
	}
	return broken
}

func (h history) lives() map[string]draftLife {
	lives := map[string]draftLife{}
	for _, r := range h.audit {
		if !strings.HasPrefix(r.Action, "draft.") {
			continue
		}
		var details struct{ Digest, Document string }
		_ = json.Unmarshal(r.Details, &details) // details of other records have no digest
		l := lives[r.Object]
		l.state = r.Action
		switch r.Action {
		case "draft.made":
			l.made++
		case "draft.confirmed":
			l.confirmed++
			l.digest, l.at = details.Digest, r.At
		default:
			l.settled++
			l.document = details.Document
		}
		lives[r.Object] = l
	}
	return lives
}

// owner returns the id of the draft that a write belongs to. It finds the draft by the syncId in the request, or by the
// changed object.
func (h history) owner(w write, bySync map[string]string) string {
	var body struct{ SyncID string }
	if json.Unmarshal(w.body, &body) == nil && body.SyncID != "" {
		return bySync[body.SyncID]
	}
	for id, d := range h.drafts {
		for _, own := range d.writes {
			if w.method == "PUT" && w.path == "/entity/"+own.Kind+"/"+own.ID && bytes.Equal(own.Body, w.body) {
				return id
			}
		}
	}
	return ""
}

// readHistory collects the history of an organization.
func (s *shop) readHistory(acknowledged map[string]bool) history {
	s.fleet.Helper()
	h := history{drafts: map[string]draftRow{}, documents: s.CreatedDocuments(), acknowledged: acknowledged}
	ctx := s.fleet.Context()
	for page := (database.Page{Limit: 100}); ; {
		part, next, err := s.fleet.keys.Audit(ctx, s.organization, page)
		must(s.fleet, err)
		h.audit = append(part, h.audit...)
		if page.Cursor = next; next == "" {
			break
		}
	}
	// Pages are sorted newest first.
	sortByPosition(h.audit)
	rows, err := s.fleet.db.QueryContext(ctx, `SELECT id, digest, sync_id, payload FROM drafts WHERE organization_id = $1`, s.organization)
	must(s.fleet, err)
	defer rows.Close()
	for rows.Next() {
		var id, payload string
		var d draftRow
		must(s.fleet, rows.Scan(&id, &d.digest, &d.syncID, &payload))
		var p drafts.Content
		must(s.fleet, json.Unmarshal([]byte(payload), &p))
		d.writes = p.Writes
		h.drafts[id] = d
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h.writes = append(h.writes, s.writes...)
	return h
}

// MoySklad's limits for an account, and the service's own limits.
const (
	unitBudget   = 45 // units per unitWindow
	unitWindow   = 3 * time.Second
	maxCallRate  = 6 // calls per second
	maxStockRate = 2 // calls to stock reports per second
)

// exceededRates returns every violation of MoySklad's and the service's limits by calls to one account.
func exceededRates(calls sandbox.Calls) (broken []string) {
	all, stock, from := 0, 0, 0
	for i, call := range calls {
		all, stock = all+1, stock+countIf(call.Stock())
		for ; call.At.Sub(calls[from].At) >= time.Second; from++ {
			all, stock = all-1, stock-countIf(calls[from].Stock())
		}
		if all > maxCallRate || stock > maxStockRate {
			broken = append(broken, fmt.Sprintf("%d calls and %d stock reports within a second: %s", all, stock, describeCalls(calls[from:i+1])))
			break
		}
	}
	units, first := 0, 0
	for i, call := range calls {
		units += call.Units
		for ; call.At.Sub(calls[first].At) >= unitWindow; first++ {
			units -= calls[first].Units
		}
		if units > unitBudget {
			broken = append(broken, fmt.Sprintf("%d units within %v, at call %d", units, unitWindow, i))
			break
		}
	}
	for _, call := range calls {
		if call.Code != 0 {
			broken = append(broken, fmt.Sprintf("%s %s was refused as too much (%d)", call.Method, call.Path, call.Code))
			break
		}
	}
	return broken
}

func countIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// describeCalls formats calls for people.
func describeCalls(calls sandbox.Calls) string {
	var text strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&text, "%s %s%s %d; ", c.At.Format("05.000"), c.Method, c.Path, c.Status)
	}
	return text.String()
}

func TestCheckerFindsExceededRates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	spaced := func(n int, space time.Duration, call sandbox.Call) (calls sandbox.Calls) {
		for i := range n {
			call.At = at.Add(time.Duration(i) * space)
			calls = append(calls, call)
		}
		return calls
	}
	for name, c := range map[string]struct {
		calls sandbox.Calls
		sound bool
	}{
		"six a second":             {spaced(60, time.Second/6+time.Millisecond, sandbox.Call{Units: 1}), true},
		"seven a second":           {spaced(7, time.Second/7, sandbox.Call{Units: 1}), false},
		"three stock reports":      {spaced(3, time.Second/4, sandbox.Call{Path: "/report/stock/all", Units: 5}), false},
		"16 calls of 3 units":      {spaced(16, 3*time.Second/17, sandbox.Call{Units: 3}), false},
		"15 calls of 3 units":      {spaced(60, 3*time.Second/15, sandbox.Call{Units: 3}), true},
		"one refusal of the limit": {spaced(1, time.Second, sandbox.Call{Code: 1049}), false},
	} {
		if got := exceededRates(c.calls); (got == nil) != c.sound {
			t.Errorf("%s: the checker finds %q", name, got)
		}
	}
}

// Errors are planted, and the checker must find them. If it could not, finding none would prove nothing.
func TestCheckerFindsPlantedErrors(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	record := func(second int, action, digest, document string) keys.AuditRecord {
		details, _ := json.Marshal(map[string]string{"digest": digest, "document": document}) //nolint:errchkjson // strings
		return keys.AuditRecord{At: at.Add(time.Duration(second) * time.Second), Action: action, Object: "d", Details: details}
	}
	sent := func(second int, sync string) write {
		return write{at.Add(time.Duration(second) * time.Second), "POST", "/entity/move", []byte(`{"syncId":"` + sync + `"}`)}
	}
	sound := func() history {
		return history{
			audit:        []keys.AuditRecord{record(0, "draft.made", "x", ""), record(1, "draft.confirmed", "x", ""), record(3, "draft.created", "x", "doc")},
			drafts:       map[string]draftRow{"d": {"x", "sync", []drafts.Write{{Kind: "move"}}}},
			writes:       []write{sent(2, "sync")},
			documents:    []sandbox.Document{{ID: "doc", SyncID: "sync"}},
			acknowledged: map[string]bool{"d": true},
		}
	}
	if broken := sound().check(); broken != nil {
		t.Errorf("without errors, the checker finds %q", broken)
	}
	for name, plant := range map[string]func(*history){
		"a duplicate":                     func(h *history) { h.documents = append(h.documents, sandbox.Document{ID: "twin", SyncID: "sync"}) },
		"a document of nobody":            func(h *history) { h.documents = append(h.documents, sandbox.Document{ID: "stray", SyncID: "other"}) },
		"a lost document":                 func(h *history) { h.documents = nil },
		"a write before the confirmation": func(h *history) { h.writes = append(h.writes, sent(0, "sync")) },
		"a write of nobody":               func(h *history) { h.writes = append(h.writes, sent(2, "other")) },
		"another digest":                  func(h *history) { h.audit[1] = record(1, "draft.confirmed", "y", "") },
		"a confirmation that is missing":  func(h *history) { h.audit = append(h.audit[:1:1], h.audit[2]) },
		"a confirmation that is lost":     func(h *history) { h.audit, h.documents = h.audit[:2], nil },
		"settled twice":                   func(h *history) { h.audit = append(h.audit, h.audit[2]) },
	} {
		h := sound()
		plant(&h)
		if h.check() == nil {
			t.Errorf("the checker does not find %s", name)
		}
	}
}
