package drafts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestPriceChangeShowsTheOldPriceAndSetsTheNewOne(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	old := item.SalePrices[0].Value
	d := s.mustDraft("draft_price_change", object{"lines": []object{{"product": item.Code, "price": 1234.56}}})
	if shown := d.Lines[0].OldPrice; old > 0 && (shown == nil || shown.String() != rubles(old)) {
		t.Errorf("the old price is shown as %v, want %d", shown, old)
	}
	s.create(d)
	if got := item.SalePrices[0].Value; got != sandbox.Kop(123456) {
		t.Errorf("the price in the upstream is %d, want 123456 kopecks", got)
	}
}

// People compare the two. The price has a fraction of a kopeck.
func TestPriceChangeShowsTheSamePriceAsTheSearch(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	for i := range item.SalePrices {
		item.SalePrices[i].Value = sandbox.Kop(12345) + sandbox.Amount(100*i+500)
	}
	result, err := s.execute("search_products", object{"query": item.Code})
	must(t, err)
	text, err := json.Marshal(result.Result)
	must(t, err)
	var found struct {
		Rows []struct {
			SalePrice  json.Number `json:"sale_price"`
			SalePrices []struct {
				PriceType string `json:"price_type"`
				Price     json.Number
			} `json:"sale_prices"`
		}
	}
	must(t, json.Unmarshal(text, &found))
	row := found.Rows[0]
	if len(row.SalePrices) != len(item.SalePrices) || row.SalePrice != row.SalePrices[0].Price {
		t.Errorf("the search shows %s of %+v", row.SalePrice, row.SalePrices)
	}
	lines := []object{{"product": item.Code, "price": 500}}
	for _, price := range row.SalePrices[1:] {
		lines = append(lines, object{"product": item.Code, "price": 500, "price_type": price.PriceType})
	}
	for i, line := range s.mustDraft("draft_price_change", object{"lines": lines}).Lines {
		if want := row.SalePrices[i]; line.PriceType != want.PriceType || line.OldPrice.String() != want.Price.String() {
			t.Errorf("the draft shows %s %s, the search %s %s", line.PriceType, line.OldPrice, want.PriceType, want.Price)
		}
	}
}

// A price that equals the purchase price gets no note.
func TestPriceBelowThePurchasePriceGetsANote(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	books := s.upstream.Books()
	i := slices.IndexFunc(books.Assortment, func(item *sandbox.Item) bool {
		return item.Stocked() && !item.Archived && len(item.Variants) == 0 && item.Parent == nil && item.BuyPrice > sandbox.Kop(200) &&
			item.BuyPrice%sandbox.Kop(1) == 0 && item.BuyCurrency.ISO == "RUB"
	})
	item := books.Assortment[i]
	for price, noted := range map[sandbox.Amount]bool{item.BuyPrice: false, item.BuyPrice - sandbox.Kop(1): true} {
		line := object{"product": item.ID, "price": json.RawMessage(rubles(price))}
		result, err := s.execute("draft_price_change", object{"lines": []object{line}})
		must(t, err)
		isNote := func(n tools.Note) bool {
			return n.Code == tools.BelowPurchasePrice && strings.Contains(n.Text, bilingual.Amount("en", bilingual.Digits("en", rubles(price)), "RUB")+", bought for RUB")
		}
		if slices.ContainsFunc(result.Notes, isNote) != noted {
			t.Errorf("%s, bought for %s: %v", rubles(price), rubles(item.BuyPrice), result.Notes)
		}
	}
}

// Half of the old price, or half as much again, gets no note.
func TestPriceThatChangesByMoreThanHalfGetsANote(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	amount := func(kopecks int64) string {
		return bilingual.Amount("en", bilingual.Digits("en", rubles(sandbox.Kop(kopecks))), "RUB")
	}
	for _, c := range []struct {
		old, price int64 // in kopecks
		noted      bool
	}{{10010, 5005, false}, {10010, 5004, true}, {10010, 15015, false}, {10010, 15016, true}, {0, 1000, false}} {
		item.SalePrices[0].Value = sandbox.Kop(c.old)
		line := object{"product": item.ID, "price": json.RawMessage(rubles(sandbox.Kop(c.price)))}
		result, err := s.execute("draft_price_change", object{"lines": []object{line}})
		must(t, err)
		isNote := func(n tools.Note) bool {
			return n.Code == tools.LargePriceChange && strings.HasSuffix(n.Text, "from "+amount(c.old)+" to "+amount(c.price)+".")
		}
		if slices.ContainsFunc(result.Notes, isNote) != c.noted {
			t.Errorf("%d to %d kopecks: %v", c.old, c.price, result.Notes)
		}
	}
}

// The tool itself must refuse, before a person confirms anything.
func TestPriceChangeNeedsTheRightToChangeProducts(t *testing.T) {
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 60, Role: sandbox.ReadOnly})
	_, err := s.draft("draft_price_change", object{"lines": []object{{"product": s.priced().Code, "price": 1234.56}}})
	if !errors.Is(err, moysklad.ErrPermission) {
		t.Errorf("got %v, want ErrPermission for a read-only role", err)
	}
}

// A price change may contain prices that stay the same.
func TestUnchangedPriceDoesNotCountAsWritten(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	var lines []object
	var last *sandbox.Item
	for _, item := range s.upstream.Books().Assortment {
		if len(lines) == 2 {
			break
		}
		price := item.SalePrices
		if item.Parent == nil && len(item.Variants) == 0 && item.Stocked() && !item.Archived &&
			price[0].Value > 0 && price[0].Value%sandbox.Kop(1) == 0 {
			last = item
			lines = append(lines, object{"product": item.ID, "price": json.RawMessage(rubles(price[0].Value))})
		}
	}
	lines[1]["price"] = 12345
	d := s.mustDraft("draft_price_change", object{"lines": lines})
	old := rubles(last.SalePrices[0].Value)
	last.SalePrices[0].Value += sandbox.Rub(1)
	var stale *drafts.StaleError
	if _, err := s.confirm(d); !errors.As(err, &stale) {
		t.Fatalf("got %v, want a stale draft and nothing written", err)
	}
	price := last.SalePrices[0]
	change := fmt.Sprintf("the price %q of product %q was %s and is %s", price.Type.Name, last.Name, old, rubles(price.Value))
	if why := stale.Failure; why.Message != change || !strings.HasPrefix(why.MessageRU, "цена «"+price.Type.Name+"», товар «"+last.Name+"»: было ") {
		t.Errorf("the draft is stale because %+v, want %s", why, change)
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d writes reached the upstream", n)
	}
}

func TestPriceCanBeSetOnlyOnce(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	_, err := s.draft("draft_price_change", object{"lines": []object{{"product": item.Code, "price": 10}, {"product": item.ID, "price": 11}}})
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) || len(wrong.Problems) != 1 || wrong.Problems[0].Field != "lines.1.product" {
		t.Errorf("two lines for the same price: %v", err)
	}
	var lines []object
	for i, p := range item.SalePrices {
		lines = append(lines, object{"product": item.Code, "price_type": p.Type.Name, "price": 20 + i})
	}
	d := s.mustDraft("draft_price_change", object{"lines": lines})
	s.create(d)
	for i, p := range item.SalePrices {
		if p.Value != sandbox.Rub(int64(20+i)) {
			t.Errorf("price %d in the upstream is %d", i, p.Value)
		}
	}
	if n := s.writes(); n != 1 {
		t.Errorf("the prices of one product took %d writes", n)
	}
}

// Variants without a price of their own must not get one. Variants with their own price get the new price.
func TestPriceChangeCoversVariants(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	i := slices.IndexFunc(s.upstream.Books().Assortment, func(i *sandbox.Item) bool {
		return len(i.Variants) > 1 && !i.Archived && !slices.ContainsFunc(i.Variants, func(v *sandbox.Item) bool { return v.Archived })
	})
	product := s.upstream.Books().Assortment[i]
	for _, v := range product.Variants {
		v.SalePrices = nil
	}
	product.Variants[1].SalePrices = slices.Clone(product.SalePrices)
	product.Variants[1].SalePrices[0].Value += sandbox.Rub(5)
	s.cache = tools.NewCache(s.now)
	d := s.mustDraft("draft_price_change", object{"lines": []object{{"product": product.Name, "price": 1234}}})
	own := slices.IndexFunc(d.Lines, func(line drafts.Line) bool { return line.ProductID == product.Variants[1].ID })
	if len(d.Lines) != 1+len(product.Variants) || d.Lines[0].ProductID != product.ID || own < 0 ||
		d.Lines[own].OldPrice.String() != rubles(product.SalePrices[0].Value+sandbox.Rub(5)) {
		t.Errorf("the lines are %+v", d.Lines)
	}
	if created := s.create(d); len(created.Document.Differences) > 0 {
		t.Fatalf("differences %v", created.Document.Differences)
	}
	inherits, has := product.Variants[0], product.Variants[1]
	if product.SalePrices[0].Value != sandbox.Rub(1234) || has.SalePrices[0].Value != sandbox.Rub(1234) || inherits.SalePrices != nil ||
		s.writes() != 2 {
		t.Errorf("%d writes; the product has %+v, its variants %+v and %+v", s.writes(), product.SalePrices, inherits.SalePrices, has.SalePrices)
	}
	stores := s.upstream.Books().Stores
	_, err := s.draft("draft_transfer", object{"from_warehouse": stores[0].ID, "to_warehouse": stores[1].ID,
		"lines": []object{{"product": product.Code, "units": 1}}})
	var unclear *check.InvalidError
	if !errors.As(err, &unclear) || len(unclear.Choices()) != len(product.Variants) {
		t.Errorf("a transfer of the product: %v, want an error that lists the variants", err)
	}
}

// The first write of the draft changes what a variant without its own prices shows.
func TestPriceOfAFamilyAndAnotherPriceOfItsVariant(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	i := slices.IndexFunc(s.upstream.Books().Assortment, func(i *sandbox.Item) bool { return len(i.Variants) > 1 && !i.Archived })
	product := s.upstream.Books().Assortment[i]
	variant := product.Variants[slices.IndexFunc(product.Variants, func(v *sandbox.Item) bool { return !v.Archived })]
	for _, v := range product.Variants {
		v.SalePrices = nil
	}
	types := s.upstream.Books().PriceTypes
	s.create(s.mustDraft("draft_price_change", object{"lines": []object{
		{"product": product.ID, "price": 1234, "price_type": types[0].Name},
		{"product": variant.ID, "price": 999, "price_type": types[1].Name},
	}}))
	price := func(t *sandbox.PriceType) sandbox.Amount {
		i := slices.IndexFunc(variant.SalePrices, func(p sandbox.Price) bool { return p.Type == t })
		return variant.SalePrices[i].Value
	}
	if product.SalePrices[0].Value != sandbox.Rub(1234) || price(types[0]) != sandbox.Rub(1234) || price(types[1]) != sandbox.Rub(999) {
		t.Errorf("the product has %+v, its variant %+v", product.SalePrices, variant.SalePrices)
	}
}

func TestPriceWithThreeDecimalsIsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	for tool, arguments := range map[string]object{
		"draft_price_change":   {"lines": []object{{"product": item.Code, "price": 12.345}}},
		"draft_purchase_order": {"supplier": item.Supplier.Name, "lines": []object{{"product": item.Code, "units": 1, "price": 12.345}}},
	} {
		if _, err := s.draft(tool, arguments); !errors.As(err, new(*check.InvalidError)) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// The upstream uses float64, and so does the text from which the digest is computed. A number that a float64 cannot
// hold must be refused. Any other number must be sent with all its digits.
func TestNumberThatDoesNotFitAFloat64IsRefused(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	order := func(units, price string) (drafts.Draft, error) {
		line := object{"product": item.Code, "units": json.Number(units), "price": json.Number(price)}
		return s.draft("draft_purchase_order", object{"supplier": item.Supplier.Name, "lines": []object{line, line}})
	}
	for _, c := range []struct{ units, price, field, problem, russian string }{
		{"0", "1", "lines.0.units", "must be above zero", "нужно число больше нуля"},
		{"1e30", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1e399", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1e-9", "1", "lines.0.units", "must be at least 0.00005", "нужно не меньше 0,00005"},
		{"1.000000000000001", "1", "lines.0.units", "must have at most 15 digits", "цифр допустимо не больше 15"},
		{"1234567890123456.7", "1", "lines.0.units", "must be at most 999999999999999", "нужно не больше 999999999999999"},
		{"1", "1e30", "lines.0.price", "must be at most 9999999999999.99", "нужно не больше 9999999999999,99"},
		{"1000000", "5000000", "lines", "must not add up to more than 9999999999999.99 RUB", "в сумме нужно не больше 9999999999999,99 RUB"},
	} {
		_, err := order(c.units, c.price)
		var wrong *check.InvalidError
		if !errors.As(err, &wrong) || wrong.Problems[0].Field != c.field || wrong.Problems[0].Wrong.In("en") != c.problem ||
			wrong.Problems[0].Wrong.In("ru") != c.russian {
			t.Errorf("%s for %s: %v, want %s %s", c.units, c.price, err, c.field, c.problem)
			continue
		}
		if same := slices.DeleteFunc(wrong.Problems, func(p *check.Problem) bool { return p.Field != c.field }); len(same) > 1 {
			t.Errorf("%s for %s is reported more than once: %v", c.units, c.price, err)
		}
	}
	for units, price := range map[string]string{"0.00005": "9999999999999.99", "0.5": "9999999999999.99", "49999999999.9999": "1"} {
		d, err := order(units, price)
		if err != nil || d.Lines[0].Units.String() != units || !strings.Contains(string(d.Writes[0].Body), `"quantity":`+units+`}`) {
			t.Errorf("%s for %s: %v", units, price, err)
		}
	}
}

func TestPriceChangesByAmountOrPercentage(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	item := s.priced()
	item.SalePrices[0].Value = sandbox.Kop(99990)
	for _, c := range []struct {
		field string
		value float64
		want  string
	}{
		{"change_percent", 10, "1099.89"},
		{"change_percent", -7.5, "924.91"},
		{"change_percent", 5.03, "1050.19"}, // 1050.19497, which must not be rounded twice
		{"change", 100, "1099.90"},
		{"change", -50.5, "949.40"},
	} {
		d := s.mustDraft("draft_price_change", object{"lines": []object{{"product": item.Code, c.field: c.value}}})
		if got := d.Lines[0].Price.String(); got != c.want {
			t.Errorf("%s %v gives %s, want %s", c.field, c.value, got, c.want)
		}
	}
	item.SalePrices[0].Value = 10_00_500 // 1000.5 kopecks; the rounded price would double to 20.02
	if l := s.mustDraft("draft_price_change", object{"lines": []object{{"product": item.Code, "change_percent": 100}}}).Lines[0]; l.OldPrice.String() != "10.005" ||
		l.Price.String() != "20.01" {
		t.Errorf("10.005 doubled: the old price is %s, the new one %s", l.OldPrice, l.Price)
	}
	item.SalePrices[0].Value = sandbox.Kop(99990)
	line := func(more object) object {
		more["product"] = item.Code
		return object{"lines": []object{more}}
	}
	s.refuses("draft_price_change", line(object{"price": 5, "change": 1}),
		"lines.0.price must be given unless change or change_percent is; exactly one of the three",
		"lines.0.price: назовите новую цену или на сколько её изменить, что-то одно")
	// The user has named the change and not the price, so the error is about the change.
	of := func(format, price string) string { return fmt.Sprintf(format, item.Name, price) }
	const changed, changedRU = "lines.0.change must leave a price above zero and up to 9999999999999.99: that of %q would be %s",
		"lines.0.change: цена должна остаться больше нуля и не больше 9999999999999,99, а у товара «%s» станет %s"
	const percent, percentRU = "lines.0.change_percent must leave a price above zero and up to 9999999999999.99: that of %q would be %s",
		"lines.0.change_percent: цена должна остаться больше нуля и не больше 9999999999999,99, а у товара «%s» станет %s"
	s.refuses("draft_price_change", line(object{"change": -2000}), of(changed, "-1000.1"), of(changedRU, "-1000,1"))
	s.refuses("draft_price_change", line(object{"change_percent": -100}), of(percent, "0"), of(percentRU, "0"))
}
