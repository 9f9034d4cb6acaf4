package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/gowebpki/jcs"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// creatable lists the types that can be created exactly once, because callers can set their syncId. The upstream posts
// new documents unless the body says otherwise.
//
// Source: the upstream's OpenAPI description, schemas with a writable syncId; md/_general.md, syncId.
var creatable = map[string]bool{ // the value says whether the type is a document
	"counterparty": false, "organization": false, "product": false, "bundle": false, "service": false,
	"customerorder": true, "demand": true, "salesreturn": true, "purchaseorder": true, "supply": true, "purchasereturn": true,
	"invoiceout": true, "invoicein": true, "paymentin": true, "paymentout": true, "cashin": true, "cashout": true,
	"move": true, "loss": true, "enter": true, "inventory": true, "internalorder": true, "processingorder": true,
	"processing": true, "prepayment": true, "prepaymentreturn": true, "factureout": true, "facturein": true,
}

// RefusedError means that the gateway does not accept a request, even as a draft.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// AddGateway stores a caller's own POST or PUT as a draft. path is relative to the root of the API: entity/TYPE for a
// POST, entity/TYPE/ID for a PUT. The caller must have checked that it has no dots or escapes. The error can be a
// [*RefusedError].
func (s *Store) AddGateway(ctx context.Context, owner Owner, client *moysklad.Client, method, path string, body []byte) (Draft, error) {
	kind, id, err := parseTarget(method, path)
	if err != nil {
		return Draft{}, err
	}
	body, err = gatewayBody(method, kind, body)
	if err != nil {
		return Draft{}, err
	}
	p := Content{Preview: Preview{Summary: method + " " + path, Totals: Totals{Lines: 1}}, Writes: []Write{{Kind: kind, ID: id, Body: body}}}
	if id != "" {
		r := ref{kind, id}
		o, err := readObject(ctx, client, r, false)
		if err != nil {
			return Draft{}, err
		}
		p.Summary += " (" + o.Name + ")"
		p.Basis = []Basis{o.basis(r, fieldUpdated)}
	}
	return s.Add(ctx, owner, Gateway, p)
}

// parseTarget returns the type in the path and, for a PUT, the id.
func parseTarget(method, path string) (kind, id string, err error) {
	parts := strings.Split(path, "/")
	switch {
	case parts[0] != "entity":
	case method == http.MethodPost && len(parts) == 2:
		if _, ok := creatable[parts[1]]; ok {
			return parts[1], "", nil
		}
		return "", "", &RefusedError{
			fmt.Sprintf("%s has no writable syncId, so it cannot be created exactly once; create it in MoySklad", parts[1]),
		}
	case method == http.MethodPut && len(parts) == 3 && uuid.Validate(parts[2]) == nil:
		return parts[1], parts[2], nil
	}
	return "", "", &RefusedError{
		fmt.Sprintf("%s %s is not supported; use POST entity/TYPE or PUT entity/TYPE/ID, which become drafts", method, path),
	}
}

// gatewayBody checks a body. If it creates a document and does not say whether to post it, gatewayBody makes the
// document unposted, so that it changes no stock or balance until a person posts it in the upstream.
func gatewayBody(method, kind string, body []byte) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, &RefusedError{"the body must be one JSON object; the objects of a list cannot be created exactly once"}
	}
	for name := range fields {
		if slices.Contains([]string{"syncid", "meta", "id"}, strings.ToLower(name)) {
			return nil, &RefusedError{
				fmt.Sprintf("the body must not set %q: the path names the object, and the service sets the syncId", name),
			}
		}
	}
	if _, err := jcs.Transform(body); err != nil {
		return nil, &RefusedError{"the body is ambiguous: " + err.Error()} // for example, a field is repeated or a surrogate is not paired
	}
	if _, isSet := fields["applicable"]; !isSet && method == http.MethodPost && creatable[kind] {
		fields["applicable"] = json.RawMessage("false")
	}
	return json.Marshal(fields)
}
