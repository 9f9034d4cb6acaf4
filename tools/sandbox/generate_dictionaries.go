package sandbox

import "fmt"

// Indexes in Books.Stores of the warehouses that the generator uses for special purposes.
const (
	mainStore = iota
	showroom
	ozonStore
	wildberriesStore
)

// dictionaries generates all dictionaries except counterparties, channels and goods.
func (g *generator) dictionaries() {
	b := g.books
	b.Employee = &Employee{ID: g.id(kindEmployee), UID: fmt.Sprintf("bot@shop%d", g.config.Seed), Name: "Учётов У. У."}
	b.Currencies = []*Currency{
		{ID: g.id(kindCurrency), Name: "руб", FullName: "Российский рубль", Code: "643", ISO: "RUB", Rate: 1000, Default: true},
		{ID: g.id(kindCurrency), Name: "доллар", FullName: "Доллар США", Code: "840", ISO: "USD", Rate: 92400},
		{ID: g.id(kindCurrency), Name: "юань", FullName: "Китайский юань", Code: "156", ISO: "CNY", Rate: 12800},
	}
	b.Organizations = []*Organization{
		{
			ID: g.id(kindOrganization), Name: "ООО «Копейка и Ко»", INN: "7701234567",
			LegalTitle: "Общество с ограниченной ответственностью «Копейка и Ко»",
		},
		{
			ID: g.id(kindOrganization), Name: "ИП Смирнова А. В.", INN: "770912345678",
			LegalTitle: "Индивидуальный предприниматель Смирнова Анна Викторовна",
		},
	}
	for i, account := range []struct {
		organization, currency int
		number, bank           string
	}{
		{0, 0, "40702810000000001234", "АО «Пример Банк»"},
		{0, 1, "40702840000000000077", "АО «Пример Банк»"},
		{1, 0, "40802810000000005678", "ПАО «Образец»"},
	} {
		organization := b.Organizations[account.organization]
		organization.Accounts = append(organization.Accounts, &BankAccount{
			ID: g.id(kindAccount), Number: account.number, Bank: account.bank,
			Currency: b.Currencies[account.currency], Default: i != 1, Organization: organization,
		})
	}
	for i := range g.config.Warehouses {
		b.Stores = append(b.Stores, &Store{ID: g.id(kindStore), Name: names().Warehouses[i], Code: fmt.Sprintf("W%02d", i+1), n: i})
	}
	if len(b.Stores) > 15 {
		b.Stores[15].Parent = b.Stores[mainStore]
	}
	for _, name := range []string{"Цена продажи", "Оптовая", "Ozon", "Wildberries"} {
		id := g.id(kindPriceType)
		b.PriceTypes = append(b.PriceTypes, &PriceType{ID: id, Name: name, ExternalCode: id[:8]})
	}
	for _, unit := range [][2]string{{"шт", "796"}, {"кг", "166"}, {"м", "006"}} {
		b.UOMs = append(b.UOMs, &UOM{ID: g.id(kindUOM), Name: unit[0], Code: unit[1]})
	}
	for _, name := range []string{
		"Закупка товаров", "Аренда", "Зарплата", "Маркетинг и реклама", "Комиссия маркетплейса", "Налоги и сборы", "Перемещение",
	} {
		b.ExpenseItems = append(b.ExpenseItems, &ExpenseItem{ID: g.id(kindExpenseItem), Name: name})
	}
	g.states()
}

func (g *generator) states() {
	add := func(kind Kind, name, outcome string, color int) {
		g.books.States[kind] = append(
			g.books.States[kind], &State{ID: g.id(kindState), Name: name, Type: outcome, Color: color, Kind: kind},
		)
	}
	add(CustomerOrder, "Новый", "Regular", 15106326)
	add(CustomerOrder, "Собран", "Regular", 10066329)
	add(CustomerOrder, "Отгружен", "Regular", 34617)
	add(CustomerOrder, "Доставлен", "Successful", 8767198)
	add(CustomerOrder, "Отменён", "Unsuccessful", 15280409)
	add(Demand, "Передан в доставку", "Regular", 34617)
	add(Demand, "Вручён", "Successful", 8767198)
	add(PurchaseOrder, "Отправлен поставщику", "Regular", 34617)
	add(PurchaseOrder, "Подтверждён", "Regular", 10066329)
	add(PurchaseOrder, "Получен", "Successful", 8767198)
	if g.config.RequiredAttribute {
		for _, kind := range []Kind{PurchaseOrder, Move} {
			g.books.Attributes[kind] = []*Attribute{{ID: g.id(kindAttribute), Name: "Ответственный", Kind: kind, Required: true}}
		}
	}
	for _, kind := range []Kind{CustomerOrder, Demand} {
		g.books.Attributes[kind] = []*Attribute{{ID: g.id(kindAttribute), Name: "Номер заказа маркетплейса", Kind: kind}}
	}
}

// state finds a status of a kind by name. It returns nil if there is none.
func (b *Books) state(kind Kind, name string) *State {
	for _, state := range b.States[kind] {
		if state.Name == name {
			return state
		}
	}
	return nil
}
