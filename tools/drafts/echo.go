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

// What stands among a document's differences besides fields.
const (
	deletedSince = "deleted upstream since" // by a person
	notReadBack  = "not read back"
)

// created records the document, and where it is not what was sent: the upstream drops what it does not know and answers a
// used syncId with the older document. What is created stays created if it cannot be read back.
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
		a.creator.Log.WarnContext(ctx, "read a created document back", "draft", a.ID, "error", err)
	default:
		a.Document.Differences = differences(a.payload, w.Body, echo.raw)
	}
	return nil
}

// hasPositions says whether a body sets lines, which the upstream shows only when asked.
func hasPositions(body json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(body, &fields) == nil && fields["positions"] != nil
}

// differences are the fields that were sent and read otherwise, and the total if it is not the one that was shown.
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

// contains reports whether everything that wanted sets reads so in held.
func contains(held, wanted json.RawMessage) bool { return same("", held, wanted) }

// same compares a field's value with what it was set to: objects by the fields that were set, links by their href,
// numbers by value, null with nothing, lists by their elements in any order. The upstream keeps the prices and attributes
// that are not named; all other lists it replaces.
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

// isNull: null, or nothing at all.
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
