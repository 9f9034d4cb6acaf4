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

// Entries of Document.Differences that are not names of fields.
const (
	deletedSince = "deleted upstream since"
	notReadBack  = "not read back"
)

// created records the document and how it differs from what was sent. It can differ because the upstream ignores
// unknown fields, and because it answers a syncId that was already used with the older document. If the document cannot
// be read back, the draft still counts as created.
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
		a.Document.Differences, a.Document.Posting = differences(a.content, w.Body, echo.raw), echo.posting()
	}
	return nil
}

// hasPositions reports whether a body sets positions. The upstream returns positions only on request.
func hasPositions(body json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(body, &fields) == nil && fields["positions"] != nil
}

// differences returns the names of the fields whose values differ from those that were sent. It adds "sum" if the total
// differs from the one that was shown.
func differences(p Content, sent, actual json.RawMessage) []string {
	var fields, actualFields map[string]json.RawMessage
	if json.Unmarshal(sent, &fields) != nil || json.Unmarshal(actual, &actualFields) != nil {
		return []string{"not understood"}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !sameValue(name, actualFields[name], fields[name]) {
			names = append(names, name)
		}
	}
	var sum moysklad.Kopecks
	if shown := p.Totals.Money; shown != nil {
		if json.Unmarshal(actualFields["sum"], &sum) != nil || !sum.Shift(-2).Round(2).Equal(shown.Decimal()) {
			names = append(names, "sum")
		}
	}
	return names
}

// contains reports whether actual has every value that is set in wanted.
func contains(actual, wanted json.RawMessage) bool { return sameValue("", actual, wanted) }

// sameValue reports whether a field has the value that it was set to. Objects are compared only by the fields that were
// set, links by their href, numbers by value, and lists by their elements in any order. null equals a missing field.
// The upstream keeps prices and attributes that a request does not mention, but replaces all other lists.
func sameValue(name string, actual, wanted json.RawMessage) bool {
	var fields, actualFields map[string]json.RawMessage
	var list, actualList []json.RawMessage
	switch {
	case isNull(wanted):
		return isNull(actual)
	case json.Unmarshal(wanted, &fields) == nil:
		if json.Unmarshal(actual, &actualFields) != nil {
			return false
		}
		if href, link := fields["href"]; link {
			return sameScalar(actualFields["href"], href)
		}
		for name, value := range fields {
			if !sameValue(name, actualFields[name], value) {
				return false
			}
		}
		return true
	case json.Unmarshal(wanted, &list) == nil:
		return json.Unmarshal(actual, &actualList) == nil && sameList(actualList, list, name == "salePrices" || name == "attributes")
	}
	return sameScalar(actual, wanted)
}

// sameList is [sameValue] for lists. If merged is true, the actual list may have additional elements.
func sameList(actual, wanted []json.RawMessage, merged bool) bool {
	if !merged && len(actual) != len(wanted) {
		return false
	}
	unmatched := slices.Clone(actual)
	for _, element := range wanted {
		i := slices.IndexFunc(unmatched, func(h json.RawMessage) bool { return contains(h, element) })
		if i < 0 {
			return false
		}
		unmatched = slices.Delete(unmatched, i, i+1)
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
