package drafts_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Each problem with the arguments of a draft is reported in both languages, with the value and what to do about it.
func TestArgumentProblemsAreInBothLanguages(t *testing.T) {
	s := open(t, databasetest.SQLite(t), time.Now)
	books := s.upstream.Books()
	item := s.priced()
	var others []*sandbox.Item
	for _, other := range books.Assortment {
		if other != item && other.Stocked() && other.Parent == nil && len(other.Variants) == 0 && !other.Archived && len(other.SalePrices) > 0 {
			others = append(others, other)
		}
	}
	unpriced, gone, foreign := others[0], others[1], others[2]
	unpriced.Name, unpriced.BuyPrice, gone.Name, foreign.Name = "Кружка без цены", 0, "Кружка из архива", "Кружка в долларах"
	foreign.SalePrices[0].Type.Name, foreign.SalePrices[0].Currency = "Розничная", books.Currencies[1]
	renameCounterparties(books, item.Supplier)
	family := books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool { return len(i.Variants) > 1 && !i.Archived })]
	variants := activeVariants(family)
	others[3].Name = family.Name
	supplier, store := item.Supplier.Name, books.Stores[0].Name
	order := func(lines ...object) object { return object{"supplier": supplier, "lines": lines} }
	for _, c := range []struct {
		tool             string
		arguments        object
		english, russian string
	}{
		{"draft_purchase_order", object{"supplier": supplier}, "lines must be given unless from_shortage is true, and only then",
			"lines: назовите товары с количеством или попросите заказать недостающее, что-то одно"},
		{"draft_purchase_order", object{"supplier": "Марс", "from_shortage": true},
			`supplier must be the name or id of a counterparty, and none fits, got "Марс"; there are `,
			"supplier: такого контрагента в учёте нет, указано «Марс»; есть: "},
		{"draft_purchase_order", order(line(item.ID, object{"units": -1.5, "price": 1.234})),
			"lines.0.price must have at most two decimals, got 1.234; lines.0.units must be above zero, got -1.5",
			"lines.0.price: не больше двух знаков после запятой, указано 1,234; lines.0.units: нужно число больше нуля, указано -1,5"},
		{"draft_purchase_order", order(line("нет такого", nil)),
			`lines.0.product must be the name, code, article or id of a product, and none fits, got "нет такого"`,
			"lines.0.product: товара с таким названием, кодом или артикулом в учёте нет, указано «нет такого»"},
		{"draft_purchase_order", order(line(unpriced.ID, nil)),
			`lines.0.price is required: the card of "Кружка без цены" has no purchase price in RUB`,
			"lines.0.price: в карточке «Кружка без цены» нет закупочной цены в RUB, назовите цену"},
		{"draft_transfer", object{"from_warehouse": store, "to_warehouse": store, "lines": []object{line(item.ID, nil)}},
			`to_warehouse must differ from from_warehouse, got "` + store + `"`,
			"to_warehouse: нужен другой склад, не тот же, указано «" + store + "»"},
		{"draft_price_change", object{"lines": []object{{"product": item.ID, "price": 0, "price_type": "Никакая"}}},
			"lines.0.price must be above zero, got 0; " +
				`lines.0.price_type must be the name or id of a price type, and none fits, got "Никакая"; there are `,
			"lines.0.price: нужно число больше нуля, указано 0; lines.0.price_type: такого типа цен в учёте нет, указано «Никакая»; есть: "},
		{"draft_purchase_order", object{"supplier": " ", "lines": []object{line(item.ID, nil)}},
			"supplier must be named; there are " + supplier + " and others", "supplier: не указано; есть: " + supplier + " и другие"},
		{"draft_purchase_order", object{"supplier": supplier, "organization": "Марс", "lines": []object{line(item.ID, nil)}},
			`organization must be the name or id of an organization, and none fits, got "Марс"; there are `,
			"organization: такого юрлица в учёте нет, указано «Марс»; есть: "},
		{"draft_purchase_order", object{"supplier": "Одноимённый", "lines": []object{line(item.ID, nil)}},
			`supplier must be the name or id of a counterparty, and 2 fit, got "Одноимённый"; there are `,
			"supplier: подходит больше одного контрагента (2), назовите точнее, указано «Одноимённый»; есть: "},
		{"draft_transfer", object{"from_warehouse": store, "to_warehouse": books.Stores[1].Name, "lines": []object{line(family.ID, nil)}},
			fmt.Sprintf("lines.0.product must be one of the product's %d variants, got %q; there are ", variants, family.ID),
			fmt.Sprintf("lines.0.product: у товара модификаций: %d, назовите одну, указано «%s»; есть: ", variants, family.ID)},
		{"draft_price_change", object{"lines": []object{{"product": "Кружка", "price": 1}}},
			`lines.0.product must be the name or id of a product, and 3 fit, got "Кружка"; there are `,
			"lines.0.product: подходит больше одного товара (3), назовите точнее, указано «Кружка»; есть: "},
		{"draft_price_change", object{"lines": []object{{"product": family.Name, "price": 1}}},
			fmt.Sprintf("lines.0.product must be the name or id of a product, and 2 fit, got %q; there are ", family.Name),
			fmt.Sprintf("lines.0.product: подходит больше одного товара (2), назовите точнее, указано «%s»; есть: ", family.Name)},
		{"draft_purchase_order", order(line(family.Name, nil)),
			fmt.Sprintf("lines.0.product must be the name or id of a product, and 2 fit, got %q; there are ", family.Name),
			fmt.Sprintf("lines.0.product: подходит больше одного товара (2), назовите точнее, указано «%s»; есть: ", family.Name)},
		{"draft_price_change", object{"lines": []object{{"product": "нет такого", "price": 1}}},
			`lines.0.product must be the name, code, article or id of a product, and none fits, got "нет такого"`,
			"lines.0.product: товара с таким названием, кодом или артикулом в учёте нет, указано «нет такого»"},
		{"draft_price_change", object{"lines": []object{{"product": item.ID, "price": 1}, {"product": item.Code, "price": 2}}},
			"lines.1.product sets the same price of the same product as lines.0",
			"lines.1.product: та же цена того же товара уже названа (lines.0)"},
		{"draft_purchase_order", object{"supplier": "Ничего не продаёт", "from_shortage": true},
			`from_shortage is empty: nothing that is bought from "Ничего не продаёт" is below its minimum, counting what is on its way`,
			"from_shortage: у поставщика «Ничего не продаёт» заказывать нечего: с учётом того, что в пути, хватает всего"},
		{"draft_price_change", object{"lines": []object{{"product": foreign.ID, "price": 1, "price_type": "Розничная"}}},
			`lines.0.price cannot be set here: the price "Розничная" of "Кружка в долларах" is not in RUB; change it in MoySklad`,
			"lines.0.price: цена «Розничная» товара «Кружка в долларах» в другой валюте, не RUB: измените её в МоёмСкладе"},
	} {
		s.refuses(c.tool, c.arguments, c.english, c.russian)
	}
	gone.Archived = true // archived after its card was read
	s.refuses("draft_purchase_order", order(line(gone.ID, object{"price": 1})),
		`lines.0.product is archived or no longer there: "Кружка из архива"`, "lines.0.product: в архиве или удалено: «Кружка из архива»")
}

// A purchase price that the role may not see is not missing on the card.
func TestHiddenPurchasePriceIsNotCalledMissing(t *testing.T) {
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 60, Role: sandbox.NoCost})
	item := s.priced()
	s.refuses("draft_purchase_order", object{"supplier": item.Supplier.ID, "lines": []object{line(item.ID, nil)}},
		fmt.Sprintf("lines.0.price is required: the employee whose token is used does not see the purchase price of %q in RUB", item.Name),
		fmt.Sprintf("lines.0.price: закупочная цена «%s» в RUB не видна сотруднику, чей токен у подключения: назовите цену", item.Name))
	for _, supplier := range s.upstream.Books().Counterparties {
		order := object{"supplier": supplier.ID, "from_shortage": true}
		var short int
		_, err := s.draft("draft_purchase_order", order)
		if _, missing := fmt.Sscanf(fmt.Sprint(err), "from_shortage has products (%d)", &short); missing != nil {
			continue
		}
		s.refuses("draft_purchase_order", order,
			fmt.Sprintf("from_shortage has products (%d), but the employee whose token is used does not see their purchase prices in RUB: give lines with prices", short),
			fmt.Sprintf("from_shortage: не хватает товаров: %d, но закупочные цены в RUB не видны сотруднику, чей токен у подключения; назовите товары с ценами", short))
		return
	}
	t.Fatal("no product is below its minimum")
}

// line returns a line of one unit. fields are added to it or replace its fields.
func line(product string, fields object) object {
	l := object{"product": product, "units": 1}
	maps.Copy(l, fields)
	return l
}

// activeVariants returns the number of variants that are not archived.
func activeVariants(product *sandbox.Item) int {
	return len(slices.DeleteFunc(slices.Clone(product.Variants), func(v *sandbox.Item) bool { return v.Archived }))
}

// renameCounterparties gives the name "Ничего не продаёт" to a counterparty that supplies nothing, and "Одноимённый" to
// two others. It does not rename the given supplier.
func renameCounterparties(books *sandbox.Books, supplier *sandbox.Counterparty) {
	idle := &sandbox.Counterparty{}
	for _, idle = range books.Counterparties {
		if !idle.Archived && !slices.ContainsFunc(books.Assortment, func(i *sandbox.Item) bool { return i.Origin().Supplier == idle }) {
			break
		}
	}
	idle.Name = "Ничего не продаёт"
	alike := 0
	for _, other := range books.Counterparties {
		if other != idle && other != supplier && !other.Archived && alike < 2 {
			other.Name = "Одноимённый"
			alike++
		}
	}
}

// A draft has at most 200 lines. In an account with several organizations, the call must name one.
func TestLimitProblemsAreInBothLanguages(t *testing.T) {
	s := openWith(t, databasetest.SQLite(t), time.Now, sandbox.Config{Seed: 7, Products: 1200})
	books := s.upstream.Books()
	supplier := s.priced().Supplier
	var families []object
	prices := 0
	for _, item := range books.Assortment {
		if item.Supplier != nil {
			item.Supplier = supplier
		}
		for _, price := range item.SalePrices {
			if len(item.Variants) > 0 && !item.Archived && prices <= 200 {
				families = append(families, object{"product": item.ID, "price_type": price.Type.Name, "price": 1})
				prices += 1 + activeVariants(item)
			}
		}
	}
	s.refuses("draft_price_change", object{"lines": families},
		fmt.Sprintf("lines would set %d prices, counting those of variants, and a draft can have at most 200 lines", prices),
		fmt.Sprintf("lines: вместе с модификациями это %d цен, а в одном черновике не больше 200 строк", prices))

	result, err := s.execute("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true})
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) {
		t.Fatal(result, err)
	}
	var short int
	if _, err := fmt.Sscanf(wrong.Error(), "from_shortage has too many products (%d)", &short); err != nil || short <= 200 {
		t.Errorf("%d products are below their minimum (%v)", short, err)
	}
	s.refuses("draft_purchase_order", object{"supplier": supplier.ID, "from_shortage": true},
		fmt.Sprintf("from_shortage has too many products (%d) for a draft, which can have 200 lines: name a warehouse, or give lines", short),
		fmt.Sprintf("from_shortage: не хватает товаров: %d, а в одном черновике не больше 200 строк; назовите склад или товары", short))

	var names []string
	for _, o := range books.Organizations {
		names = append(names, o.Name)
	}
	s.upstream.Fault(sandbox.Fault{Method: "GET", Path: "/context/usersettings", Status: http.StatusOK, Body: `{}`})
	s.refuses("draft_purchase_order", object{"supplier": supplier.ID, "lines": []object{{"product": s.priced().ID, "units": 1}}},
		fmt.Sprintf("organization must name one of the account's %d organizations; there are %s", len(names), strings.Join(names, ", ")),
		fmt.Sprintf("organization: юрлиц в учёте несколько (%d), назовите одно; есть: %s", len(names), strings.Join(names, ", ")))
}

// refuses fails the test unless a call is refused with these texts. If a text ends with a space, names may follow.
func (s *shop) refuses(tool string, arguments object, english, russian string) {
	s.Helper()
	_, err := s.draft(tool, arguments)
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) {
		s.Errorf("%s %v: %v, want it refused", tool, arguments, err)
		return
	}
	problems := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		problems[i] = p.Field + ": " + p.In("ru")
	}
	fits := func(got, want string) bool {
		return got == want || strings.HasSuffix(want, " ") && strings.HasPrefix(got, want)
	}
	if got := strings.Join(problems, "; "); !fits(wrong.Error(), english) || !fits(got, russian) {
		s.Errorf("%s %v:\n%s\n%s\nwant\n%s\n%s", tool, arguments, wrong, got, english, russian)
	}
}
