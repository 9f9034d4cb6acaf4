package drafts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Basis is an object upstream that the draft was shown against. If its name or one of the fields reads otherwise when the
// draft is created, nothing is written.
type Basis struct {
	Kind   string            `json:"kind"` // product, variant, counterparty, store …
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	Fields map[string]string `json:"fields"` // archived, buyPrice, salePrices/<price type id>, updated → as the upstream had it
}

// The fields that a basis may name. A sale price's field is salePriceField of its price type.
const (
	fieldArchived = "archived"
	fieldBuyPrice = "buyPrice"
	fieldUpdated  = "updated"
)

func salePriceField(priceTypeID string) string { return "salePrices/" + priceTypeID }

// fresh reads again what a draft was shown against: nil if all of it reads the same, else a [*Failure] that names the
// first that does not.
func fresh(ctx context.Context, client *moysklad.Client, basis []Basis) error {
	var refs []ref
	for _, b := range basis {
		refs = append(refs, ref{b.Kind, b.ID})
	}
	now, err := present(ctx, client, refs)
	if err != nil {
		return fmt.Errorf("read again what the draft was shown against: %w", err)
	}
	for _, b := range basis {
		if err := b.holds(now[b.ID]); err != nil {
			return err
		}
	}
	return nil
}

// holds is nil if the object, as it is now, reads as it was shown; now is nil if it is not there.
func (b Basis) holds(now *object) error {
	switch {
	case now == nil, now.Archived && b.Fields[fieldArchived] == fmt.Sprint(false):
		return stale("%s %q is archived or no longer there", b.Kind, b.Name)
	case now.Name != b.Name:
		return stale("%s %q is now called %q", b.Kind, b.Name, now.Name)
	}
	for _, field := range slices.Sorted(maps.Keys(b.Fields)) {
		if is := now.field(field); is != b.Fields[field] {
			return stale(
				"%s of %s %q was %s and is %s", now.called(field), b.Kind, b.Name, worded(b.Fields[field]), worded(is)+elsewise(b.Fields[field], is),
			)
		}
	}
	return nil
}

func stale(format string, about ...any) *Failure {
	return &Failure{Code: codeStale, Message: fmt.Sprintf(format, about...)}
}

// worded is a field's value as people read it: a price in currency units.
func worded(value string) string {
	if value == "" {
		return "not set"
	}
	if hundredths, _, isPrice := splitPrice(value); isPrice {
		return tools.Rubles(hundredths).String()
	}
	return value
}

// elsewise says that a price is in another currency than it was.
func elsewise(was, is string) string {
	_, old, _ := splitPrice(was)
	_, present, isPrice := splitPrice(is)
	if isPrice && was != "" && old != present {
		return " in another currency"
	}
	return ""
}

// splitPrice takes a [priceText] apart.
func splitPrice(text string) (hundredths moysklad.Kopecks, currencyID string, ok bool) {
	amount, currencyID, ok := strings.Cut(text, " ")
	value, err := decimal.NewFromString(amount)
	return moysklad.Kopecks{Decimal: value}, currencyID, ok && err == nil
}

// object is an entity as far as a basis looks at it.
type object struct {
	Meta       moysklad.Meta    `json:"meta"`
	Name       string           `json:"name"`
	Archived   bool             `json:"archived"`
	Updated    string           `json:"updated"`
	BuyPrice   *moysklad.Price  `json:"buyPrice"`
	SalePrices []moysklad.Price `json:"salePrices"`
	Product    *moysklad.Parent `json:"product"` // of a variant

	raw json.RawMessage
}

// UnmarshalJSON keeps the whole text beside the fields.
func (o *object) UnmarshalJSON(text []byte) error {
	type fields object
	if err := json.Unmarshal(text, (*fields)(o)); err != nil {
		return err
	}
	o.raw = slices.Clone(text)
	return nil
}

// ref names an object upstream.
type ref struct{ kind, id string }

// cardsAtOnce is how many ids one filter carries: 45 bytes each, of the 8 KB that the upstream takes for all headers.
const cardsAtOnce = 80

// present reads objects as they are now, by id; what is not there is missing. Goods take one call for each eighty, all
// else one call each.
func present(ctx context.Context, client *moysklad.Client, refs []ref) (map[string]*object, error) {
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
		for some := range slices.Chunk(ids, cardsAtOnce) {
			if err := readCards(ctx, client, kind, some, found); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// readCards reads variants with their products, whose purchase price is that of a variant without its own.
func readCards(ctx context.Context, client *moysklad.Client, kind string, ids []string, found map[string]*object) error {
	var query moysklad.Query
	for _, id := range ids {
		query.Filter = query.Filter.Is("id", id)
	}
	if kind == "variant" {
		query.Expand = []string{"product"}
	}
	for card, err := range moysklad.List[object](ctx, client, kind, query) {
		if err != nil {
			return err
		}
		found[card.Meta.ID()] = &card
	}
	return nil
}

// errGone: the upstream has no such object, or not for this employee.
var errGone = errors.New("it is not there")

// readObject reads one object, if asked with all of its positions; the error wraps errGone if it is not there.
func readObject(ctx context.Context, client *moysklad.Client, r ref, positions bool) (*object, error) {
	answer, err := client.Object(ctx, "entity/"+r.kind+"/"+r.id, nil)
	var refused *moysklad.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil, fmt.Errorf("%s %s: %w", r.kind, r.id, errors.Join(errGone, err))
	}
	if err != nil {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(answer.Body, &o); err != nil {
		return nil, fmt.Errorf("entity/%s: %w: %w", r.kind, moysklad.ErrUnavailable, err)
	}
	if positions {
		err = o.readPositions(ctx, client, r)
	}
	return &o, err
}

// readPositions puts the whole list in the place of the link to it.
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

// basis is the object with the fields that a draft shows of it.
func (o *object) basis(r ref, fields ...string) Basis {
	b := Basis{r.kind, r.id, o.Name, map[string]string{}}
	for _, field := range fields {
		b.Fields[field] = o.field(field)
	}
	return b
}

// field is a field's value in words that are equal exactly when the values are.
func (o *object) field(name string) string {
	switch name {
	case fieldArchived:
		return fmt.Sprint(o.Archived)
	case fieldUpdated:
		return o.Updated
	case fieldBuyPrice:
		return priceText(o.purchasePrice())
	}
	return priceText(o.salePrice(strings.TrimPrefix(name, salePriceField(""))))
}

// purchasePrice is the object's own or, of a variant that has none, its product's.
func (o *object) purchasePrice() *moysklad.Price {
	if o.BuyPrice.Known() == nil && o.Product != nil {
		return o.Product.BuyPrice
	}
	return o.BuyPrice
}

// called is a field in words.
func (o *object) called(field string) string {
	priceType, isPrice := strings.CutPrefix(field, salePriceField(""))
	switch price := o.salePrice(priceType); {
	case field == fieldBuyPrice:
		return "the purchase price"
	case isPrice && price != nil:
		return fmt.Sprintf("the price %q", price.PriceType.Name)
	case isPrice:
		return "a price"
	}
	return field
}

// salePrice is the price of a type, nil if the object has none.
func (o *object) salePrice(priceTypeID string) *moysklad.Price {
	for i, p := range o.SalePrices {
		if p.PriceType != nil && p.PriceType.Meta.ID() == priceTypeID {
			return &o.SalePrices[i]
		}
	}
	return nil
}

// priceText is an amount in hundredths with its currency, empty when none is set.
func priceText(p *moysklad.Price) string {
	if p.Known() == nil {
		return ""
	}
	return p.Value.String() + " " + p.Currency.ID()
}
