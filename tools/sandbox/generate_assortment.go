package sandbox

import (
	"fmt"
	"time"
)

// line is a group of goods: what they are called, what they cost in rubles and how they vary.
type line struct {
	folder, subfolder string
	nouns             []string
	details           []string
	low, high         int
	sizes             []string // variants, if any
	weighed           bool
}

var lines = []line{
	{
		"Кухня",
		"Чайники",
		[]string{"Чайник электрический", "Чайник заварочный", "Термопот"},
		[]string{"1.7 л", "1.2 л", "стекло", "нержавеющая сталь"},
		600,
		2800,
		nil,
		false,
	},
	{
		"Кухня",
		"Посуда",
		[]string{"Сковорода", "Кастрюля", "Набор тарелок", "Кружка керамическая", "Форма для выпечки"},
		[]string{"24 см", "28 см", "антипригарная", "белая", "0.35 л"},
		150,
		1900,
		nil,
		false,
	},
	{
		"Кухня",
		"Ножи",
		[]string{"Нож поварской", "Нож для овощей", "Набор ножей"},
		[]string{"20 см", "12 см", "5 предметов"},
		220,
		2400,
		nil,
		false,
	},
	{
		"Текстиль",
		"Футболки",
		[]string{"Футболка мужская", "Футболка женская", "Лонгслив"},
		[]string{"хлопок", "оверсайз", "базовая"},
		280,
		900,
		[]string{"S", "M", "L", "XL"},
		false,
	},
	{
		"Текстиль",
		"Постельное бельё",
		[]string{"Комплект постельного белья", "Наволочка", "Простыня на резинке", "Плед"},
		[]string{"евро", "семейный", "сатин", "лён", "150×200"},
		390,
		4200,
		nil,
		false,
	},
	{
		"Освещение",
		"Лампы",
		[]string{"Лампа светодиодная", "Светильник настольный", "Гирлянда"},
		[]string{"7 Вт", "12 Вт", "E27", "тёплый свет", "5 м"},
		60,
		1600,
		nil,
		false,
	},
	{
		"Электроника",
		"Аксессуары",
		[]string{"Кабель USB-C", "Зарядное устройство", "Чехол для телефона", "Наушники беспроводные"},
		[]string{"1 м", "2 м", "20 Вт", "силикон", "чёрные"},
		90,
		1500,
		nil,
		false,
	},
	{
		"Обувь",
		"Домашняя",
		[]string{"Тапочки войлочные", "Сланцы"},
		[]string{"серые", "летние", "тёплые"},
		240,
		800,
		[]string{"36-37", "38-39", "40-41", "42-43"},
		false,
	},
	{
		"Продукты",
		"Чай и кофе",
		[]string{"Чай чёрный листовой", "Чай иван-чай", "Кофе в зёрнах"},
		[]string{"100 г", "250 г", "1 кг", "Эфиопия"},
		120,
		1400,
		nil,
		false,
	},
	{
		"Продукты",
		"Развес",
		[]string{"Орех грецкий", "Миндаль", "Курага", "Рога макаронные"},
		[]string{"развес", "отборный", "сорт экстра"},
		180,
		900,
		nil,
		true,
	},
	{
		"Дом",
		"Хранение",
		[]string{"Контейнер для хранения", "Корзина плетёная", "Вешалка", "Органайзер"},
		[]string{"5 л", "10 л", "набор 3 шт", "бамбук"},
		70,
		1100,
		nil,
		false,
	},
	{
		"Дом",
		"Декор",
		[]string{"Рога оленя декоративные", "Свеча ароматическая", "Ваза", "Рамка для фото"},
		[]string{"малые", "большие", "ваниль", "20×30"},
		110,
		3600,
		nil,
		false,
	},
	{
		"Дети",
		"Игрушки",
		[]string{"Конструктор", "Пазл", "Мягкая игрушка", "Машинка"},
		[]string{"120 деталей", "500 элементов", "медведь", "металл"},
		160,
		2600,
		nil,
		false,
	},
	{
		"Канцелярия",
		"",
		[]string{"Блокнот", "Ручка гелевая", "Планер недатированный", "Набор маркеров"},
		[]string{"А5", "синяя", "точка", "12 цветов"},
		30,
		600,
		nil,
		false,
	},
	{
		"Спорт",
		"",
		[]string{"Коврик для йоги", "Гантель", "Бутылка для воды", "Скакалка"},
		[]string{"6 мм", "3 кг", "0.7 л", "с подшипником"},
		150,
		2200,
		nil,
		false,
	},
}

var brands = []string{
	"Лада", "Norden", "Белый Кит", "Vesta", "Уют", "Сова", "Kivi", "Мастерица", "Полюс", "Аврора", "Orlan", "Берёзка", "Tundra", "Рябина",
	"Комфорт+", "Луч",
}

var colors = []string{"белый", "чёрный", "синий", "зелёный"}

// assortment makes the goods: the products asked for, one in twelve or so with variants, then bundles and services.
func (m *maker) assortment() {
	folders := m.folders()
	for i := range m.config.Products {
		kind := i % len(lines)
		if i >= len(lines) {
			kind = m.IntN(len(lines))
		}
		product := m.product(i, &lines[kind], folders[kind])
		m.books.Assortment = append(m.books.Assortment, product)
		if lines[kind].sizes != nil {
			m.variants(product, lines[kind].sizes)
		} else {
			product.fate = m.fate()
		}
	}
	m.bundles(max(2, m.config.Products/40))
	m.services()
	if !m.config.Tame {
		m.bait()
	}
	for n, item := range m.books.Assortment {
		item.n = n
	}
}

// folders are one for each line of goods.
func (m *maker) folders() []*Folder {
	tops := map[string]*Folder{}
	folder := func(name string, parent *Folder) *Folder {
		f := &Folder{ID: m.id(kindFolder), Name: name, Parent: parent}
		if parent != nil {
			f.Path = parent.Name
		}
		m.books.Folders = append(m.books.Folders, f)
		return f
	}
	all := make([]*Folder, len(lines))
	for i, line := range lines {
		if tops[line.folder] == nil {
			tops[line.folder] = folder(line.folder, nil)
		}
		all[i] = tops[line.folder]
		if line.subfolder != "" {
			all[i] = folder(line.subfolder, tops[line.folder])
		}
	}
	return all
}

func (m *maker) product(i int, line *line, folder *Folder) *Item {
	b := m.books
	suppliers := b.suppliers()
	product := &Item{
		Kind: kindProduct, ID: m.id(kindProduct),
		Name:   fmt.Sprintf("%s %s %s", pick(m, line.nouns), pick(m, brands), pick(m, line.details)),
		Code:   fmt.Sprintf("%05d", i+1),
		Folder: folder, UOM: b.Units[0], Supplier: suppliers[m.IntN(len(suppliers))], BuyCurrency: b.currency(),
		Updated: m.at(m.between(1, 200), m.between(9, 19), m.IntN(60)).Add(time.Duration(m.IntN(60_000)) * time.Millisecond),
	}
	if i >= len(lines)*4 {
		product.Name += fmt.Sprintf(" %s-%d", string(rune('A'+m.IntN(26))), m.between(10, 999))
	}
	product.External = product.ID[:8] + product.ID[24:30]
	product.Article = fmt.Sprintf("%s%d%03d", string([]rune("КПСТЛЭОЧРДИНШВ")[i%14]), m.between(1, 9), i%1000)
	product.Barcodes = []Barcode{{"ean13", fmt.Sprintf("20%011d", i*7+1)}}
	if m.chance(15) {
		product.Barcodes = append(product.Barcodes, Barcode{"code128", "KPK-" + product.Code})
	}
	if m.chance(6) {
		product.Article = ""
	}
	if m.chance(5) {
		product.Supplier = nil
	}
	if line.weighed {
		product.UOM, product.Weighed = b.Units[1], true
	}
	m.price(product, Rub(int64(m.between(line.low, line.high))))
	return product
}

// price sets purchase and sale prices from what the product costs in rubles. Whole kopecks for what is sold by weight,
// fractions of 0.2 kopeck for some of the rest.
func (m *maker) price(product *Item, cost Amount) {
	b := m.books
	product.BuyPrice = cost + Kop(int64(m.IntN(100)))
	if !product.Weighed && m.chance(40) {
		product.BuyPrice += Amount(m.IntN(5) * 200)
	}
	markup := int64(m.between(125, 260))
	sale := Amount(mulDiv(int64(cost), markup, 100)) / 10_000_000 * 10_000_000
	sale = max(sale, Rub(100)) - Rub(1)*Amount(m.IntN(2))
	product.SalePrices = []Price{
		{b.PriceTypes[0], sale, b.currency()},
		{b.PriceTypes[1], sale * 85 / 100 / 1000 * 1000, b.currency()},
		{b.PriceTypes[2], sale + Rub(50), b.currency()},
		{b.PriceTypes[3], 0, b.currency()},
	}
	if m.chance(70) {
		product.SalePrices[3].Value = sale + Rub(90)
	}
	if m.chance(30) {
		product.MinPrice = cost
	}
	if product.Supplier != nil && !product.Supplier.Currency.Default && !product.Weighed {
		product.BuyCurrency = product.Supplier.Currency
		product.BuyPrice = Amount(mulDiv(int64(product.BuyPrice), 1000, product.BuyCurrency.Rate)) / 1000 * 1000
	}
	if m.chance(7) {
		product.BuyPrice = 0
	}
}

func (m *maker) variants(product *Item, sizes []string) {
	color := pick(m, colors)
	for i, size := range sizes[:m.between(2, len(sizes))] {
		variant := &Item{
			Kind: kindVariant, ID: m.id(kindVariant), Parent: product, UOM: product.UOM,
			Name: fmt.Sprintf("%s (%s, %s)", product.Name, size, color), Code: fmt.Sprintf("%s-%d", product.Code, i+1),
			Characteristics: []Characteristic{{"Размер", size}, {"Цвет", color}}, BuyCurrency: m.books.currency(),
			Barcodes: []Barcode{{"ean13", product.Barcodes[0].Value[:11] + fmt.Sprintf("%02d", 10+i)}},
			Updated:  product.Updated.Add(time.Minute),
		}
		variant.External = variant.ID[:8] + variant.ID[24:30]
		if i == 0 && m.chance(50) {
			for _, price := range product.SalePrices {
				price.Value += Rub(30)
				variant.SalePrices = append(variant.SalePrices, price)
			}
		}
		variant.fate = m.fate()
		product.Variants = append(product.Variants, variant)
		m.books.Assortment = append(m.books.Assortment, variant)
	}
}

// bundles are sets of two products without variants.
func (m *maker) bundles(count int) {
	var simple []*Item
	for _, item := range m.books.Assortment {
		if item.Kind == kindProduct && item.fate == seller && !item.Weighed {
			simple = append(simple, item)
		}
		if len(simple) == 2*count {
			break
		}
	}
	for i := 0; i+1 < len(simple); i += 2 {
		first, second := simple[i], simple[i+1]
		bundle := &Item{
			Kind: kindBundle, ID: m.id(kindBundle), Name: fmt.Sprintf("Набор «%s + %s»", first.Name, second.Name),
			Code: fmt.Sprintf("SET-%03d", i/2+1), Article: fmt.Sprintf("SET%03d", i/2+1), Folder: first.Folder, UOM: first.UOM,
			Components: []Component{{first, Pieces(1)}, {second, Pieces(int64(m.between(1, 2)))}},
			Barcodes:   []Barcode{{"ean13", fmt.Sprintf("21%011d", i+1)}}, BuyCurrency: m.books.currency(), Updated: first.Updated,
		}
		bundle.External = bundle.ID[:8] + bundle.ID[24:30]
		for n, price := range first.SalePrices {
			price.Value = (price.Value + second.SalePrices[n].Value) * 9 / 10 / 1000 * 1000
			bundle.SalePrices = append(bundle.SalePrices, price)
		}
		m.books.Assortment = append(m.books.Assortment, bundle)
	}
}

func (m *maker) services() {
	for i, service := range []struct {
		name  string
		price int64
		cost  int64
	}{{"Доставка", 350, 0}, {"Подарочная упаковка", 150, 0}, {"Гравировка", 600, 200}} {
		item := &Item{
			Kind: kindService, ID: m.id(kindService), Name: service.name, Code: fmt.Sprintf("SRV-%d", i+1),
			UOM: m.books.Units[0], BuyPrice: Rub(service.cost), BuyCurrency: m.books.currency(), Updated: m.at(100, 12, 0),
		}
		item.External = item.ID[:8] + item.ID[24:30]
		for _, column := range m.books.PriceTypes {
			item.SalePrices = append(item.SalePrices, Price{column, Rub(service.price), m.books.currency()})
		}
		m.books.Assortment = append(m.books.Assortment, item)
	}
}
