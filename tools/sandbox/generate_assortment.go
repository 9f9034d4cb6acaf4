package sandbox

import (
	"fmt"
	"time"
)

// assortment generates the configured number of products, about one in twelve of them with variants, and then bundles
// and services.
func (g *generator) assortment() {
	categories, folders := names().Categories, g.folders()
	for i := range g.config.Products {
		kind := i % len(categories)
		if i >= len(categories) {
			kind = g.IntN(len(categories))
		}
		product := g.product(i, &categories[kind], folders[kind])
		g.books.Assortment = append(g.books.Assortment, product)
		if categories[kind].Sizes != nil {
			g.variants(product, categories[kind].Sizes)
		} else {
			product.scenario = g.nextScenario()
		}
	}
	g.bundles(max(2, g.config.Products/40))
	g.services()
	if !g.config.WithoutAttacks {
		g.hostileText()
	}
	for n, item := range g.books.Assortment {
		item.n = n
	}
}

// folders generates the folders. It returns one folder for each category.
func (g *generator) folders() []*Folder {
	tops := map[string]*Folder{}
	folder := func(name string, parent *Folder) *Folder {
		f := &Folder{ID: g.id(kindFolder), Name: name, Parent: parent}
		if parent != nil {
			f.Path = parent.Name
		}
		g.books.Folders = append(g.books.Folders, f)
		return f
	}
	categories := names().Categories
	all := make([]*Folder, len(categories))
	for i, category := range categories {
		if tops[category.Folder] == nil {
			tops[category.Folder] = folder(category.Folder, nil)
		}
		all[i] = tops[category.Folder]
		if category.Subfolder != "" {
			all[i] = folder(category.Subfolder, tops[category.Folder])
		}
	}
	return all
}

func (g *generator) product(i int, category *category, folder *Folder) *Item {
	b := g.books
	suppliers := b.suppliers()
	product := &Item{
		Kind: kindProduct, ID: g.id(kindProduct),
		Name:   fmt.Sprintf("%s %s %s", pick(g, category.Nouns), pick(g, names().Brands), pick(g, category.Details)),
		Code:   fmt.Sprintf("%05d", i+1),
		Folder: folder, UOM: b.UOMs[0], Supplier: suppliers[g.IntN(len(suppliers))], BuyCurrency: b.currency(),
		Updated: g.at(g.between(1, 200), g.between(9, 19), g.IntN(60)).Add(time.Duration(g.IntN(60_000)) * time.Millisecond),
	}
	if i >= 4*len(names().Categories) {
		product.Name += fmt.Sprintf(" %s-%d", string(rune('A'+g.IntN(26))), g.between(10, 999))
	}
	product.External = product.ID[:8] + product.ID[24:30]
	product.Article = fmt.Sprintf("%s%d%03d", string([]rune("КПСТЛЭОЧРДИНШВ")[i%14]), g.between(1, 9), i%1000)
	product.Barcodes = []Barcode{{"ean13", fmt.Sprintf("20%011d", i*7+1)}}
	if g.chance(15) {
		product.Barcodes = append(product.Barcodes, Barcode{"code128", "KPK-" + product.Code})
	}
	if g.chance(6) {
		product.Article = ""
	}
	if g.chance(5) {
		product.Supplier = nil
	}
	if category.Weighed {
		product.UOM, product.Weighed = b.UOMs[1], true
	}
	g.price(product, Rub(int64(g.between(category.Cost.From, category.Cost.To))))
	return product
}

// price sets the purchase and sale prices from a cost in rubles. Some purchase prices have a fraction, a multiple of
// 0.2 kopeck; those of goods sold by weight are whole kopecks.
func (g *generator) price(product *Item, cost Amount) {
	b := g.books
	product.BuyPrice = cost + Kop(int64(g.IntN(100)))
	if !product.Weighed && g.chance(40) {
		product.BuyPrice += Amount(g.IntN(5) * 200)
	}
	markup := int64(g.between(125, 260))
	sale := Amount(mulDiv(int64(cost), markup, 100)) / 10_000_000 * 10_000_000
	sale = max(sale, Rub(100)) - Rub(1)*Amount(g.IntN(2))
	product.SalePrices = []Price{
		{b.PriceTypes[0], sale, b.currency()},
		{b.PriceTypes[1], sale * 85 / 100 / 1000 * 1000, b.currency()},
		{b.PriceTypes[2], sale + Rub(50), b.currency()},
		{b.PriceTypes[3], 0, b.currency()},
	}
	if g.chance(70) {
		product.SalePrices[3].Value = sale + Rub(90)
	}
	if g.chance(30) {
		product.MinPrice = cost
	}
	if product.Supplier != nil && !product.Supplier.Currency.Default && !product.Weighed {
		product.BuyCurrency = product.Supplier.Currency
		product.BuyPrice = Amount(mulDiv(int64(product.BuyPrice), 1000, product.BuyCurrency.Rate)) / 1000 * 1000
	}
	if g.chance(7) {
		product.BuyPrice = 0
	}
}

func (g *generator) variants(product *Item, sizes []string) {
	color := pick(g, names().Colors)
	for i, size := range sizes[:g.between(2, len(sizes))] {
		variant := &Item{
			Kind: kindVariant, ID: g.id(kindVariant), Parent: product, UOM: product.UOM,
			Name: fmt.Sprintf("%s (%s, %s)", product.Name, size, color), Code: fmt.Sprintf("%s-%d", product.Code, i+1),
			Characteristics: []Characteristic{{"Размер", size}, {"Цвет", color}}, BuyCurrency: g.books.currency(),
			Barcodes: []Barcode{{"ean13", product.Barcodes[0].Value[:11] + fmt.Sprintf("%02d", 10+i)}},
			Updated:  product.Updated.Add(time.Minute),
		}
		variant.External = variant.ID[:8] + variant.ID[24:30]
		if i == 0 && g.chance(50) {
			for _, price := range product.SalePrices {
				price.Value += Rub(30)
				variant.SalePrices = append(variant.SalePrices, price)
			}
		}
		variant.scenario = g.nextScenario()
		product.Variants = append(product.Variants, variant)
		g.books.Assortment = append(g.books.Assortment, variant)
	}
}

// bundles generates bundles of two products without variants.
func (g *generator) bundles(count int) {
	var simple []*Item
	for _, item := range g.books.Assortment {
		if item.Kind == kindProduct && item.scenario == seller && !item.Weighed {
			simple = append(simple, item)
		}
		if len(simple) == 2*count {
			break
		}
	}
	for i := 0; i+1 < len(simple); i += 2 {
		first, second := simple[i], simple[i+1]
		bundle := &Item{
			Kind: kindBundle, ID: g.id(kindBundle), Name: fmt.Sprintf("Набор «%s + %s»", first.Name, second.Name),
			Code: fmt.Sprintf("SET-%03d", i/2+1), Article: fmt.Sprintf("SET%03d", i/2+1), Folder: first.Folder, UOM: first.UOM,
			Components: []Component{{first, Pieces(1)}, {second, Pieces(int64(g.between(1, 2)))}},
			Barcodes:   []Barcode{{"ean13", fmt.Sprintf("21%011d", i+1)}}, BuyCurrency: g.books.currency(), Updated: first.Updated,
		}
		bundle.External = bundle.ID[:8] + bundle.ID[24:30]
		for n, price := range first.SalePrices {
			price.Value = (price.Value + second.SalePrices[n].Value) * 9 / 10 / 1000 * 1000
			bundle.SalePrices = append(bundle.SalePrices, price)
		}
		g.books.Assortment = append(g.books.Assortment, bundle)
	}
}

func (g *generator) services() {
	for i, service := range []struct {
		name  string
		price int64
		cost  int64
	}{{"Доставка", 350, 0}, {"Подарочная упаковка", 150, 0}, {"Гравировка", 600, 200}} {
		item := &Item{
			Kind: kindService, ID: g.id(kindService), Name: service.name, Code: fmt.Sprintf("SRV-%d", i+1),
			UOM: g.books.UOMs[0], BuyPrice: Rub(service.cost), BuyCurrency: g.books.currency(), Updated: g.at(100, 12, 0),
		}
		item.External = item.ID[:8] + item.ID[24:30]
		for _, column := range g.books.PriceTypes {
			item.SalePrices = append(item.SalePrices, Price{column, Rub(service.price), g.books.currency()})
		}
		g.books.Assortment = append(g.books.Assortment, item)
	}
}
