package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Entries of Document.Differences that name no field.
const (
	deletedSince = "deleted upstream since"
	notReadBack  = "not read back"
)

// created records the document and how it differs from what was sent: the upstream drops unknown fields, and answers a used
// syncId with the older document. If the document cannot be read back, the draft still counts as created.
func (a *attempt) created(ctx context.Context, w Write, document moysklad.Document) error {
	a.Document = &Document{ID: document.ID, Name: document.Name, Href: moysklad.Href(w.Kind, document.ID)}
	if document.Deleted != nil {
		a.Document.Differences = []string{deletedSince}
		return nil
	}
	echo, err := readObject(ctx, a.client.Client, ref{w.Kind, document.ID}, hasPositions(w.Body))
	switch {
	case errors.Is(err, errGone):
		a.Document.Differences = []string{deletedSince}
	case err != nil:
		a.Document.Differences = []string{notReadBack}
		a.creator.Log.WarnContext(ctx, "read back a created document", "draft", a.ID, "error", err)
	default:
		a.Document.Differences = differences(a.payload, w.Body, echo.raw)
	}
	return nil
}

// hasPositions reports whether a body sets positions, which the upstream returns only on request.
func hasPositions(body json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(body, &fields) == nil && fields["positions"] != nil
}

// differences are the names of the fields whose values are not those that were sent, and "sum" if the total is not the one
// that was shown.
func differences(p Payload, sent, held json.RawMessage) []string {
	var fields, heldFields map[string]json.RawMessage
	if json.Unmarshal(sent, &fields) != nil || json.Unmarshal(held, &heldFields) != nil {
		return []string{"not understood"}
	}
	var differing []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !same(name, heldFields[name], fields[name]) {
			differing = append(differing, name)
		}
	}
	var sum moysklad.Kopecks
	if shown := p.Totals.Money; shown != nil {
		if json.Unmarshal(heldFields["sum"], &sum) != nil || !sum.Shift(-2).Round(2).Equal(shown.Decimal()) {
			differing = append(differing, "sum")
		}
	}
	return differing
}

// contains reports whether held has every value that wanted sets.
func contains(held, wanted json.RawMessage) bool { return same("", held, wanted) }

// same reports whether the value of a field is the one that it was set to. It compares objects by the fields that were set,
// links by their href, numbers by value and lists by their elements in any order; null equals a missing field. The upstream
// keeps prices and attributes that a request does not name, and replaces all other lists.
func same(name string, held, wanted json.RawMessage) bool {
	var fields, heldFields map[string]json.RawMessage
	var list, heldList []json.RawMessage
	switch {
	case isNull(wanted):
		return isNull(held)
	case json.Unmarshal(wanted, &fields) == nil:
		if json.Unmarshal(held, &heldFields) != nil {
			return false
		}
		if href, link := fields["href"]; link {
			return sameScalar(heldFields["href"], href)
		}
		for name, value := range fields {
			if !same(name, heldFields[name], value) {
				return false
			}
		}
		return true
	case json.Unmarshal(wanted, &list) == nil:
		return json.Unmarshal(held, &heldList) == nil && sameList(heldList, list, name == "salePrices" || name == "attributes")
	}
	return sameScalar(held, wanted)
}

func sameList(held, wanted []json.RawMessage, merged bool) bool {
	if !merged && len(held) != len(wanted) {
		return false
	}
	left := slices.Clone(held)
	for _, element := range wanted {
		i := slices.IndexFunc(left, func(h json.RawMessage) bool { return contains(h, element) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// isNull reports whether a value is null or missing.
func isNull(text json.RawMessage) bool { return len(text) == 0 || string(text) == "null" }

func sameScalar(a, b json.RawMessage) bool {
	x, errX := decimal.NewFromString(string(a))
	y, errY := decimal.NewFromString(string(b))
	if errX == nil && errY == nil {
		return x.Equal(y)
	}
	var s, t any
	return json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil && s == t
}
