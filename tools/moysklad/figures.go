package moysklad

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// figured is a row that lists its figures, so that a missing one is noticed. The upstream leaves out figures that the
// role may not see, and they must not count as 0. Only an optional figure may be missing; it is then 0.
type figured interface {
	figures(each func(name string, place *decimal.Decimal, optional bool))
}

// absent marks a figure that has not been read. Its value is 0, but it differs from every decoded number: a decimal
// contains a pointer.
var absent = decimal.NewFromInt(0)

// decodeRow reads a row into v. If a required figure is missing, the error wraps [ErrPermission].
func decodeRow(decoder *jsontext.Decoder, v any) (err error) {
	row, ok := v.(figured)
	if !ok {
		return json.UnmarshalDecode(decoder, v)
	}
	row.figures(func(_ string, place *decimal.Decimal, _ bool) { *place = absent })
	if err = json.UnmarshalDecode(decoder, v); err != nil {
		return err
	}
	row.figures(func(name string, place *decimal.Decimal, optional bool) {
		switch {
		case *place != absent:
		case optional:
			*place = decimal.Decimal{}
		case err == nil:
			err = missingFigure("the list", name)
		}
	})
	return err
}

// missingFigure returns the error for a required figure that is missing.
func missingFigure(what, figure string) error {
	return fmt.Errorf("%s: %w: a row has no %s", what, ErrPermission, figure)
}

func (r *StockRow) figures(each func(string, *decimal.Decimal, bool)) {
	each("stock", &r.Stock.Decimal, false)
	each("reserve", &r.Reserve.Decimal, false)
	each("inTransit", &r.InTransit.Decimal, false)
	each("quantity", &r.Quantity.Decimal, false)
}

func (r *ProfitRow) figures(each func(string, *decimal.Decimal, bool)) {
	ofOthers := r.Assortment == nil // reports by sales channel have no quantities
	each("sellQuantity", &r.SellQuantity.Decimal, ofOthers)
	each("returnQuantity", &r.ReturnQuantity.Decimal, ofOthers)
	each("sellSum", &r.SellSum.Decimal, false)
	each("returnSum", &r.ReturnSum.Decimal, false)
}

func (r *TurnoverRow) figures(each func(string, *decimal.Decimal, bool)) {
	each("onPeriodStart", &r.Opening.Quantity.Decimal, false)
	each("onPeriodEnd", &r.Closing.Quantity.Decimal, false)
	each("income", &r.Income.Quantity.Decimal, false)
	each("outcome", &r.Outcome.Quantity.Decimal, false)
}

func (l *StockLayer) figures(each func(string, *decimal.Decimal, bool)) {
	each("stock", &l.Stock.Decimal, false)
}

func (b *CashBalance) figures(each func(string, *decimal.Decimal, bool)) {
	each("balance", &b.Balance.Decimal, false)
}

func (r *CounterpartyRow) figures(each func(string, *decimal.Decimal, bool)) {
	each("balance", &r.Balance.Decimal, false)
	each("demandsSum", &r.DemandsSum.Decimal, true)
}
