package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Basis is the state of an upstream object that the draft's preview shows. If the name or one of the fields has changed
// when the draft is to be carried out, nothing is written.
type Basis struct {
	Kind   string            `json:"kind"` // product, variant, counterparty, store …
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	Fields map[string]string `json:"fields"` // upstream value of each field: archived, buyPrice, salePrices/<price type id>, updated
}

// The fields that a basis can have. For a sale price, the field is [salePriceField] of the price type.
const (
	fieldArchived = "archived"
	fieldBuyPrice = "buyPrice"
	fieldUpdated  = "updated"
)

func salePriceField(priceTypeID string) string { return "salePrices/" + priceTypeID }

// checkBasis reads the objects of the basis again. If one of them has changed, it returns a [*Failure] that describes
// the first change.
func checkBasis(ctx context.Context, client *moysklad.Client, basis []Basis) error {
	var refs []ref
	for _, b := range basis {
		refs = append(refs, ref{b.Kind, b.ID})
	}
	now, err := readCurrent(ctx, client, refs)
	if err != nil {
		return fmt.Errorf("read the basis of the draft again: %w", err)
	}
	for _, b := range basis {
		if err := b.check(now[b.ID]); err != nil {
			return err
		}
	}
	return nil
}

// check compares the basis with the current state of the object. If they differ, it returns a [*Failure]. now is nil if
// the object no longer exists.
func (b Basis) check(now *object) error {
	kind, name := kindOf(b.Kind), check.Name(b.Name)
	switch {
	case now == nil, now.Archived && b.Fields[fieldArchived] == fmt.Sprint(false):
		return newFailure(codeStale, isGone.Of(kind, name))
	case now.Name != b.Name:
		return newFailure(codeStale, isRenamed.Of(kind, name, check.Name(now.Name)))
	}
	for _, field := range slices.Sorted(maps.Keys(b.Fields)) {
		was, is := b.Fields[field], now.field(field)
		if is == was {
			continue
		}
		changed := hasChanged
		if newCurrency(was, is) {
			changed = hasNewCurrency
		}
		return newFailure(codeStale, changed.Of(now.describe(field), kind, name, displayValue(was), displayValue(is)))
	}
	return nil
}

// displayValue returns the value of a field for people. Prices are shown in currency units.
func displayValue(value string) any {
	if value == "" {
		return isNotSet
	}
	if hundredths, _, isPrice := parsePrice(value); isPrice {
		return tools.MoneyOf(hundredths.Decimal).String()
	}
	return value
}

// newCurrency reports whether the currency of a price has changed.
func newCurrency(was, is string) bool {
	_, before, _ := parsePrice(was)
	_, now, isPrice := parsePrice(is)
	return isPrice && was != "" && before != now
}

// parsePrice reverses [formatPrice]. ok is false if text is not a price.
func parsePrice(text string) (hundredths moysklad.Kopecks, currencyID string, ok bool) {
	amount, currencyID, ok := strings.Cut(text, " ")
	value, err := decimal.NewFromString(amount)
	return moysklad.Kopecks{Decimal: value}, currencyID, ok && err == nil
}

// object is an upstream entity with the fields that a basis can have.
type object struct {
	Meta       moysklad.Meta    `json:"meta"`
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	Archived   bool             `json:"archived"`
	Updated    string           `json:"updated"`
	BuyPrice   *moysklad.Price  `json:"buyPrice"`
	SalePrices []moysklad.Price `json:"salePrices"`
	Product    *moysklad.Parent `json:"product"`    // the product of a variant
	Applicable *bool            `json:"applicable"` // whether a document is posted

	raw json.RawMessage
}

// UnmarshalJSON decodes the object and keeps the whole text in raw. The name is the one to show, without secrets. Names are
// also compared in this form, because a name that people cannot see cannot have changed for them.
func (o *object) UnmarshalJSON(text []byte) error {
	type fields object
	if err := json.Unmarshal(text, (*fields)(o)); err != nil {
		return err
	}
	o.Name, o.raw = redact.Text(o.Name), slices.Clone(text)
	return nil
}

// posting returns whether a document is posted, in the form of [Document].Posting.
func (o *object) posting() string {
	switch {
	case o.Applicable == nil:
		return ""
	case *o.Applicable:
		return "posted"
	}
	return "not_posted"
}

// ref identifies an upstream object.
type ref struct{ kind, id string }

// readCurrent reads the current state of objects. The result is by id, and has no entry for objects that no longer
// exist. It makes one call for every [tools.MaxIDsPerFilter] products or variants, and one call for each other object.
func readCurrent(ctx context.Context, client *moysklad.Client, refs []ref) (map[string]*object, error) {
	found := map[string]*object{}
	goods := map[string][]string{}
	for _, r := range refs {
		if r.kind == "product" || r.kind == "variant" {
			if !slices.Contains(goods[r.kind], r.id) {
				goods[r.kind] = append(goods[r.kind], r.id)
			}
			continue
		}
		if _, read := found[r.id]; read {
			continue
		}
		o, err := readObject(ctx, client, r, false)
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[r.id] = o
	}
	for kind, ids := range goods {
		for chunk := range slices.Chunk(ids, tools.MaxIDsPerFilter) {
			if err := readGoods(ctx, client, kind, chunk, found); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// readGoods adds the current products or variants to found. It reads variants together with their products, because a
// variant without a purchase price of its own uses the price of its product.
func readGoods(ctx context.Context, client *moysklad.Client, kind string, ids []string, found map[string]*object) error {
	query := moysklad.Query{Filter: moysklad.Filter{}.Is("id", ids...)}
	if kind == "variant" {
		query.Expand = []string{"product"}
	}
	for card, err := range moysklad.List[object](ctx, client, kind, query) {
		if err != nil {
			return err
		}
		if !slices.Contains(ids, card.Meta.ID()) {
			return fmt.Errorf("entity/%s: %w: a row is none of those that were asked for", kind, moysklad.ErrUnavailable)
		}
		found[card.Meta.ID()] = &card
	}
	return nil
}

// errGone means that the upstream does not have the object, or hides it from this employee.
var errGone = errors.New("it does not exist")

// readObject reads one object. If positions is true, it reads all of its positions too. The error wraps errGone if the
// upstream says that the object does not exist. A 404 of a server in front of it says nothing about the object.
func readObject(ctx context.Context, client *moysklad.Client, r ref, positions bool) (*object, error) {
	answer, err := client.Object(ctx, "entity/"+r.kind+"/"+r.id, nil)
	if failed, ok := errors.AsType[*moysklad.Error](err); ok && failed.Status == http.StatusNotFound {
		if refusal(err) == nil {
			return nil, fmt.Errorf("%s: %w: it answered 404 without a reason", failed.Path, moysklad.ErrUnavailable)
		}
		return nil, fmt.Errorf("%s %s: %w", r.kind, r.id, errors.Join(errGone, err))
	}
	if err != nil {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(answer.Body, &o); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", answer.Path, moysklad.ErrUnavailable, err)
	}
	if !strings.EqualFold(o.ID, path.Base(answer.Path)) {
		return nil, fmt.Errorf("%s: %w: the answer is not this object", answer.Path, moysklad.ErrUnavailable)
	}
	if positions {
		err = o.readPositions(ctx, client, r)
	}
	return &o, err
}

// readPositions replaces the link to the positions in raw with the positions themselves.
func (o *object) readPositions(ctx context.Context, client *moysklad.Client, r ref) error {
	lines := []json.RawMessage{}
	for line, err := range moysklad.List[json.RawMessage](ctx, client, r.kind+"/"+r.id+"/positions", moysklad.Query{}) {
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(o.raw, &fields); err != nil {
		return err
	}
	var err error
	if fields["positions"], err = json.Marshal(lines); err != nil {
		return err
	}
	o.raw, err = json.Marshal(fields)
	return err
}

// basis returns the current state of the given fields as a [Basis].
func (o *object) basis(r ref, fields ...string) Basis {
	b := Basis{r.kind, r.id, o.Name, map[string]string{}}
	for _, field := range fields {
		b.Fields[field] = o.field(field)
	}
	return b
}

// field formats the value of a field for comparison. Two texts are equal if and only if the values are.
func (o *object) field(name string) string {
	switch name {
	case fieldArchived:
		return fmt.Sprint(o.Archived)
	case fieldUpdated:
		return o.Updated
	case fieldBuyPrice:
		return formatPrice(o.purchasePrice())
	}
	return formatPrice(o.salePrice(strings.TrimPrefix(name, salePriceField(""))))
}

// purchasePrice returns the purchase price of the object. If a variant has none, it returns that of its product.
func (o *object) purchasePrice() *moysklad.Price {
	if o.BuyPrice.Known() == nil && o.Product != nil {
		return o.Product.BuyPrice
	}
	return o.BuyPrice
}

// describe returns the name of a field for people.
func (o *object) describe(field string) any {
	priceType, isPrice := strings.CutPrefix(field, salePriceField(""))
	switch price := o.salePrice(priceType); {
	case field == fieldBuyPrice:
		return purchasePrice
	case isPrice && price != nil:
		return namedPrice.Of(check.Name(price.PriceType.Name))
	case isPrice:
		return aPrice
	case field == fieldUpdated:
		return lastChange
	}
	return field
}

// salePrice returns the object's price of the given type, or nil.
func (o *object) salePrice(priceTypeID string) *moysklad.Price {
	for i, p := range o.SalePrices {
		if p.PriceType != nil && p.PriceType.Meta.ID() == priceTypeID {
			return &o.SalePrices[i]
		}
	}
	return nil
}

// formatPrice returns the amount in hundredths and the id of the currency. It returns "" if no price is set.
func formatPrice(p *moysklad.Price) string {
	if p.Known() == nil {
		return ""
	}
	return p.Value.String() + " " + p.Currency.ID()
}
