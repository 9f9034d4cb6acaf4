package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// fresh reads again what a draft was shown against: nil if all of it reads the same, a [*StaleError] naming the first
// that does not.
func fresh(ctx context.Context, client *moysklad.Client, basis []Basis) error {
	objects := map[string]object{}
	for _, b := range basis {
		key := b.Kind + "/" + b.ID
		o, read := objects[key]
		if !read {
			var err error
			if o, err = readObject(ctx, client, b.Kind, b.ID); err != nil {
				return fmt.Errorf("read %s again: %w", b.Kind, err)
			}
			objects[key] = o
		}
		if now := o.field(b.Field); now != b.Value {
			return b.stale(now)
		}
	}
	return nil
}

func (b Basis) stale(now string) error {
	return &StaleError{fmt.Sprintf("%s of %s %q was %s and is %s", b.Field, b.Kind, b.Name, worded(b.Value), worded(now))}
}

func worded(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// object is an entity as far as a basis looks at it.
type object struct {
	Meta       moysklad.Meta    `json:"meta"`
	Name       string           `json:"name"`
	Archived   bool             `json:"archived"`
	Updated    string           `json:"updated"`
	BuyPrice   *moysklad.Price  `json:"buyPrice"`
	SalePrices []moysklad.Price `json:"salePrices"`

	raw json.RawMessage
}

func readObject(ctx context.Context, client *moysklad.Client, kind, id string) (object, error) {
	answer, err := client.Get(ctx, "entity/"+kind+"/"+id, nil)
	if err != nil {
		return object{}, err
	}
	var o object
	if err := json.Unmarshal(answer.Body, &o); err != nil {
		return object{}, fmt.Errorf("read entity/%s: %w", kind, err)
	}
	o.raw = answer.Body
	return o, nil
}

// The fields that a basis may name. A sale price's field is salePriceField of its price type.
const (
	fieldArchived = "archived"
	fieldBuyPrice = "buyPrice"
	fieldUpdated  = "updated"
)

func salePriceField(priceTypeID string) string { return "salePrices/" + priceTypeID }

// field is a field's value in words that are equal exactly when the values are.
func (o object) field(name string) string {
	switch name {
	case fieldArchived:
		return fmt.Sprint(o.Archived)
	case fieldUpdated:
		return o.Updated
	case fieldBuyPrice:
		return priceText(o.BuyPrice)
	}
	return priceText(o.salePrice(strings.TrimPrefix(name, salePriceField(""))))
}

// salePrice is the price of a type, nil if the object has none.
func (o object) salePrice(priceTypeID string) *moysklad.Price {
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
