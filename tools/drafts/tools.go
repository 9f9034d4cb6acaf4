package drafts

import (
	"context"
	_ "embed" // the descriptions of the tools
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

var (
	//go:embed purchase_order.md
	purchaseOrderText string
	//go:embed transfer.md
	transferText string
	//go:embed price_change.md
	priceChangeText string
)

// Tools returns the tools that prepare drafts in s.
func (s *Store) Tools() []tools.Tool {
	return []tools.Tool{
		tools.Define("draft_purchase_order", tools.Draft, purchaseOrderText, s.draftPurchaseOrder),
		tools.Define("draft_transfer", tools.Draft, transferText, s.draftTransfer),
		tools.Define("draft_price_change", tools.Draft, priceChangeText, s.draftPriceChange),
	}
}

// maxLines limits the lines of a draft, so that a person can read all of them before confirming. The upstream accepts
// 1000.
const maxLines = 200

// add stores a draft that a tool call has prepared. It cancels the drafts that this one corrects, and adds a note about
// that. A draft corrects an earlier one if both are in the same conversation, the earlier one waits for confirmation,
// they have the same parties, and they have a product in common. If both were confirmed, the goods would be ordered or
// moved twice.
func (s *Store) add(ctx context.Context, run *tools.Run, kind Kind, p Content) (Draft, error) {
	from := Owner{
		Who:          keys.Caller{KeyID: run.KeyID, OrganizationID: run.OrganizationID},
		ConnectionID: run.ConnectionID,
		AccountID:    run.ID,
		SessionID:    run.SessionID,
	}
	waiting, err := s.waitingIn(ctx, run.OrganizationID, run.SessionID)
	if err != nil {
		return Draft{}, err
	}
	p.Notes = run.Notes()
	fresh, err := s.Add(ctx, from, kind, p)
	if err != nil {
		return Draft{}, err
	}
	fresh.Notes = nil // they are in the result
	for _, earlier := range waiting {
		if !fresh.corrects(earlier) {
			continue
		}
		if _, err := s.Cancel(ctx, from.Who, earlier.ID); err == nil {
			run.Note(tools.DraftReplaced, map[string]string{"code": earlier.Code})
		} else if _, settled := errors.AsType[*NotConfirmableError](err); !settled { // a draft that was confirmed meanwhile stays
			return Draft{}, err
		}
	}
	return fresh, nil
}

// corrects reports whether a draft is a corrected version of an earlier one.
func (d Draft) corrects(earlier Draft) bool {
	shared := func(l Line) bool {
		return slices.ContainsFunc(earlier.Lines, func(e Line) bool { return e.ProductID == l.ProductID && e.PriceType == l.PriceType })
	}
	return d.Kind == earlier.Kind && d.ConnectionID == earlier.ConnectionID && slices.Equal(d.Parties, earlier.Parties) &&
		slices.ContainsFunc(d.Lines, shared)
}

// noteFirst adds a note with the values of the first of several findings, and the number of the others.
func noteFirst(run *tools.Run, code tools.NoteCode, found []map[string]string) {
	if len(found) == 0 {
		return
	}
	if others := len(found) - 1; others > 0 {
		found[0]["others"] = fmt.Sprint(others)
	}
	run.Note(code, found[0])
}

// mayWrite returns an error if the employee may not write documents. Without this check, the upstream would refuse the
// draft only after a person has confirmed it.
func mayWrite(run *tools.Run) error {
	if !run.Rights.Write {
		return fmt.Errorf("the employee whose token this connection uses may not write documents: %w", moysklad.ErrPermission)
	}
	return nil
}

// ownOrganization finds the account's own organization for a document: the one that is named, the only one, or the
// default in the user's settings.
func ownOrganization(ctx context.Context, run *tools.Run, name string) (moysklad.Organization, error) {
	if strings.TrimSpace(name) != "" {
		return run.Organization(ctx, "organization", name)
	}
	all, err := run.Organizations(ctx)
	if err != nil {
		return moysklad.Organization{}, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if own, known, err := defaultOrganization(ctx, run, all); err != nil || known {
		return own, err
	}
	names := make([]string, len(all))
	for i, own := range all {
		names[i] = own.Name
	}
	return moysklad.Organization{}, check.Invalid(whichCompany.At("organization", len(all)).WithChoices(names, false))
}

// defaultOrganization returns the default organization in the user's settings. It returns false if there is none.
func defaultOrganization(ctx context.Context, run *tools.Run, all []moysklad.Organization) (moysklad.Organization, bool, error) {
	answer, err := run.Client.Get(ctx, "context/usersettings", nil)
	if err != nil {
		return moysklad.Organization{}, false, fmt.Errorf("read the user's settings: %w", err)
	}
	var settings struct {
		Company *moysklad.Ref `json:"defaultCompany"`
	}
	if err := json.Unmarshal(answer.Body, &settings); err != nil {
		return moysklad.Organization{}, false, fmt.Errorf("read the user's settings: %w", err)
	}
	for _, o := range all {
		if o.ID == settings.Company.ID() {
			return o, true, nil
		}
	}
	return moysklad.Organization{}, false, nil
}

// entityLink returns a link to an entity for a request body.
func entityLink(kind, id string) map[string]any {
	return map[string]any{"meta": map[string]any{
		"href": moysklad.Href(kind, id), "type": kind, "mediaType": "application/json",
	}}
}
