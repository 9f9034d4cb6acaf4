package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// exampleQuestions returns questions for each view of the offline model: its first and its last example, with names.
func exampleQuestions(t *testing.T) (all []string) {
	t.Helper()
	names := strings.NewReplacer("{goods}", "футболки", "{period}", "за октябрь", "{place}", "Шоурум", "{channel}", "Ozon", "{party}", "Ромашка",
		"{n}", "5", "{span}", "30 дней", "{future}", "до 15 декабря", "{order}", "00243")
	files, err := filepath.Glob("offline/examples/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		content, err := os.Open(file)
		must(t, err)
		first, last := false, ""
		for lines := bufio.NewScanner(content); lines.Scan(); {
			line := strings.TrimSpace(lines.Text())
			if _, question, follows := strings.Cut(line, "] "); follows {
				line = question
			}
			switch {
			case strings.HasPrefix(line, "#"):
				all, first, last = append(all, last), true, ""
			case line != "" && first:
				all, first = append(all, names.Replace(line)), false
			case line != "":
				last = names.Replace(line)
			}
		}
		all = append(all, last)
		must(t, content.Close())
	}
	return all
}

// The offline model knows what the books have, so its answers have no marks. That holds in an account without data and
// for employees who may not see everything.
func TestOfflineAnswersHaveNoMarks(t *testing.T) {
	for name, config := range map[string]sandbox.Config{
		"full":        {Seed: 1},
		"just opened": {Seed: 1, JustOpened: true},
		"one product": {Seed: 1, Products: 1},
		"no cost":     {Seed: 1, Role: sandbox.NoCost},
		"no money":    {Seed: 1, Switches: sandbox.Switches{NoMoneyRight: true, NoCRM: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newShopAgent(t, offline.New(clock), config)
			for i, asked := range exampleQuestions(t) {
				few := testing.Short() && name != "full" && i%4 != 0 // the race detector is slow here
				if asked == "" || few {
					continue
				}
				got := b.ask(t.Context(), question(asked))
				if got.err != nil || strings.Contains(got.text, "[нет в отчётах]") || strings.Contains(got.text, "[not in the reports]") {
					t.Errorf("%s: %v\n%s", asked, got.err, got.text)
				}
			}
		})
	}
}

// Some goods of a brand sold and others did not. The answer is about those that sold.
func TestGoodsThatDidNotSellDoNotHideThoseThatDid(t *testing.T) {
	b := newShopAgent(t, offline.New(clock), sandbox.Config{Seed: 1, Products: 200})
	for asked, want := range map[string]string{
		"Продажи Kivi за октябрь":   "выручка",
		"Продажи Kivi за год":       "выручка",
		"Продажи Orlan за квартал":  "выручка",
		"Неликвид Kivi":             "заморожено",
		"sales of Kivi in October":  "revenue",
		"АВС-анализ товаров «Kivi»": "выручка",
	} {
		requireSays(t, asked, b.ask(t.Context(), question(asked)), []string{want})
	}
}

// A question about the price of a type is about the cards that have one. The answer counts the others.
func TestCardsSayThePriceOfTheTypeAskedFor(t *testing.T) {
	b := newShopAgent(t, offline.New(clock), sandbox.Config{Seed: 1, Products: 200})
	for asked, want := range map[string]string{
		"цена тапочек на Wildberries":           "цены «Wildberries» — от ",
		"почём на Wildberries тапочки":          "без такой цены ещё ",
		"what are the wholesale prices of mugs": "prices “Оптовая” range from ",
		"цена вазы Orlan на Wildberries":        "Цены «Wildberries» нет: «Ваза Orlan ваниль»",
		"розничная цена вазы Orlan":             "Цена продажи товара",
		"самые дешёвые кружки на Ozon":          "порядок и границы по обычной цене продажи",
		"закупка и розница по кружкам":          "закупочные цены — от ",
		"какие размеры футболок остались":       "есть S, M, L, XL; ",
	} {
		requireSays(t, asked, b.ask(t.Context(), question(asked)), []string{want})
	}
}

// The revenue of a period leaves out services without a cost, so its answer names theirs.
func TestRevenueNamesServicesWithoutACost(t *testing.T) {
	b := newShopAgent(t, offline.New(clock), sandbox.Config{Seed: 1, Products: 200})
	for asked, want := range map[string]string{
		"Какая выручка за последние 90 дней?":           "ещё услуги без себестоимости: ",
		"What is the revenue for the last 90 days?":     "and services without a cost: ",
		"Какая средняя выручка в день за 90 дней?":      "ещё услуги без себестоимости: ",
		"Какая прибыль за последние 90 дней?":           "",
		"What is the revenue of Kivi for last 90 days?": "",
	} {
		got := b.ask(t.Context(), question(asked))
		named := strings.Contains(got.text, "ещё услуги") || strings.Contains(got.text, "and services")
		if got.err != nil || !strings.Contains(got.text, want) || named != (want != "") {
			t.Errorf("%s: %v\n%s", asked, got.err, got.text)
		}
	}
}

// Each question has phrases that its answer contains and, after "-", phrases that it must not contain.
func TestOfflineAnswersSay(t *testing.T) {
	b := newShopAgent(t, offline.New(clock), sandbox.Config{Seed: 1})
	for asked, phrases := range map[string][]string{
		// Both figures are the supplier's own, so the notes about all suppliers do not follow.
		"Что заказать у поставщика Ромашка?":              {"Из этого уже заказано", "позиций без закупочной цены —", "-Часть недостающего", "-Позиций без закупочной цены:"},
		"What to order from supplier Светозар?":           {"Of this, already on order: ", "items without a purchase price: ", "-A part of what is short", "-Items without a purchase price:"},
		"Хватит ли денег на заказ у Ромашки?":             {"минимумов у поставщика ООО «Ромашка», нужно", "-Часть недостающего", "-| Поставщик"},
		"Is there enough money to restock from Romashka?": {"to the minimums from ООО «Ромашка», ", "-A part of what is short", "-| Supplier"},
		// Rows have services without a cost, and so does the revenue that they are a part of.
		"Сколько штук продали в октябре?":          {"ед. на 967 474,65 ₽, в том числе услуги без себестоимости: 1 050,00 ₽"},
		"How many pieces did we sell in October?":  {"units sold for RUB 967,474.65, including services without a cost: RUB 1,050.00"},
		"доля каналов в выручке за октябрь":        {"выручка 967 474,65 ₽, в том числе услуги", "Из каналов на первом месте «Ozon»", "45,07 %", "23,54 %", "16,09 %", "11,27 %", "4,03 %"},
		"какую долю выручки даёт Ozon за октябрь?": {"23,54 %: 227 771,60 ₽ из 967 474,65 ₽"},
		// The price on the card, what goods were sold for, and what they are bought for are three prices.
		"кому мы должны меньше всего":              {"Меньше всего мы должны контрагенту «ИП", "-без учёта"},
		"кто меньше всех нам должен":               {"-без учёта", "-Больше всех"},
		"что отгрузить завтра":                     {"К какому дню отгрузить заказ, отчёт не знает.", "без учёта слов «завтра»"},
		"which orders should we ship today":        {"does not know by which day", "regardless of “today”"},
		"who sells more mugs, Ozon or Wildberries": {"products within “Ozon, Wildberries”"},
		"цена продажи чайников":                    {"«Чайник»: цены продажи — от 1 599,00 ₽ до 6 699,00 ₽; карточек 10.", "| Цены по типам |", "-Закупочная", "-редняя"},
		"розничная цена кружки Сова":               {"Цена продажи товара «Кружка керамическая Сова 24 см J-86» — 2 699,00 ₽.", "| Оптовая |", "-Закупочная"},
		"sale price of kettles":                    {"“Чайник”: sale prices range from RUB 1,599.00 to RUB 6,699.00; cards: 10.", "| Prices by type |", "-urchase price", "-verage"},
		"почём в среднем продаём чайники":          {"средняя цена продажи «Чайник»", "| Средняя цена |", "-Закупочная"},
		"average selling price of kettles":         {"the average sale price of “Чайник”", "| Average price |", "-urchase price"},
		"закупочная цена чайников":                 {"«Чайник»: закупочные цены — от 927,65 ₽ до 2 726,40 ₽; карточек 10."},
		"retail price of mugs, the cheapest first": {"At the bottom is “Кружка", "Cards, in stock or not: ", "-urchase"},
		"Сколько денег в архивных товарах?":        {"В архивных товарах по себестоимости 55 820,13 ₽: 65 шт., 10 позиций.", "-Отчёт учитывает и архивные"},
		"How much is in archived products?":        {"Archived products are worth RUB 55,820.13 at cost: 65 pcs, 10 items."},
		"Сколько архивных футболок на складе?":     {"«Футболка»: архивных товаров в остатках нет."},
		// Goods are counted whether they are archived or not.
		"how many bamboo hangers do we have?":         {"32 pcs", "Of these, 23 pcs are of archived products."},
		"сколько рамок 20х30?":                        {"Рамка для фото Аврора 20×30 A-207", "Товар в архиве."},
		"цена бамбуковых вешалок":                     {"«Вешалка Белый Кит бамбук B-332» — 1 500,00", "-Vesta"},
		"Сколько денег в товарах поставщика Ромашка?": {"По поставщикам остатки не делятся"},
		"stock of goods from supplier Ромашка":        {"Stock is not divided by supplier"},
		"товары ромашки":                              {"списка товаров поставщика в отчётах нет", "-Мы должны"},
		"what have we ordered from suppliers?":        {"On the way: ", "do not show the purchase orders", "-to restock"},
		"чего не хватает от ромашки":                  {"У поставщика ООО «Ромашка» не хватает на"},
		"oldest unshipped order":                      {"from 22 November 2025 to 21 November the oldest is 00232 ("},
		"what has never been sold?":                   {"not look at all sales ever, but at those of the last 90 days", "-tied up in dead"},
		"розничные продажи за октябрь":                {"без учёта слов «розничные»", "выручка"},
		"has Ozon paid us?":                           {"owes us RUB 80,682.40", "-Yes"},
		"how much do marketplaces owe us":             {"regardless of “marketplaces”"},
		"how much is in the till of IP Smirnova":      {"“ИП Смирнова А. В.” has no money; bank accounts and tills have RUB 640,000.55"},
		"сколько денег на ип":                         {"«ИП Смирнова А. В.» 640 000,55 ₽"},
		"сколько у ооо в банке":                       {"На расчётных счетах ООО «Копейка и Ко» 6 221 578,38 ₽", "-касса"},
		"остаток на рублёвом счёте":                   {"На расчётных счетах 6 861 578,93 ₽", "-касса"},
		"что выросло в продажах за ноябрь":            {"Рост и падение продаж по каждому товару отчёты не считают"},
		// Goods that have run out are in the table, and no number of days is below 0.
		"Когда закончится чайник?":   {"Но 3 позиции из 10 продавать уже нечем", "| −1 шт. | 0,19 шт. в день | 0 дн. |"},
		"When will kettles run out?": {"But 3 of 10 items have nothing available already.", "| −1 pc | 0.19 pcs a day | 0 days |"},
		"на сколько дней хватит Чайник электрический Белый Кит 1.7 л C-685": {"доступного остатка уже нет, а продаётся 0,19 шт. в день", "-хватит"},
		"когда закончатся футболки?":                                        {"Показано 10 из 18."},
		"what will run out in 60 days": {"10 of 42 are shown."},
		// Profit is in the order of profit, and the table has at most five columns.
		"прибыль по каналам за октябрь":             {"Из каналов на первом месте «Ozon»: прибыль 91 639,64 ₽", "| Канал продаж | Выручка | Прибыль | Маржа | Покрытие себестоимостью |", "-Больше всего —"},
		"прибыль по товарам за октябрь":             {"54,17 % |\n| Рога оленя декоративные Аврора 20×30 W-807 | 6 шт. | 32 400,00 ₽ | 17 819,28 ₽"},
		"сколько заработали на кружках в этом году": {"это 100 % выручки", "-известна для"},
		"сколько заработали на ножах в этом году":   {"(ещё у 2 нет данных)"},
		// What is known in part completes the sum: 889 944,13 + 65 636,00 + 9 900,00 = 965 480,13.
		"какие товары без себестоимости":                          {"889 944,13 ₽ из 965 480,13 ₽", "у 5 товаров, проданных на 65 636,00 ₽. У 1 товара она известна не для всех продаж: без неё 9 900,00 ₽", "50,67 %", "-Курага"},
		"which items have unknown cost":                           {"for 5 products sold for RUB 65,636.00. For 1 product it is known for only some of the sales, without it: RUB 9,900.00"},
		"на каком складе больше всего неликвида?":                 {"На первом месте «Основной»: остаток 414 шт."},
		"which warehouse holds the most of dead stock?":           {"At the top is “Основной”: in stock 414 pcs."},
		"что привезли на прошлой неделе":                          {"пришли 2 товара: 4 шт.", "| Пришло на склад |", "-ушло", "-| 0 шт."},
		"what arrived last week?":                                 {"2 products came in: 4 pcs", "-went out"},
		"сколько потратили на закупки в октябре":                  {"пришло 11 товаров: 72 шт. на 39 269,63 ₽", "| 20 шт. | 17 651,20 ₽ | 20 шт. |\n| Блокнот", "Показано 10 из 11."},
		"хватит ли чайников на месяц?":                            {"«Чайник»: да, хватит: доступно 144 шт., а за 30 дней продаётся около 33 шт.", "3 позиции из 10"},
		"Должен ли нам Ozon больше 100 тысяч?":                    {"Нет, контрагент ООО «Ozon» должен нам 80 682,40 ₽", "-100 тысяч"},
		"Is profit over 500000?":                                  {"No, from ", "profit was RUB 4", "-500000"},
		"Мы продали больше 1000 штук за октябрь?":                 {"Нет, за октябрь продано ", "-Таких"},
		"Do we have fewer than 100 t-shirts?":                     {"No, “Футболка”: 356 pcs"},
		"Есть ли товары с остатком меньше 5 штук?":                {"Таких позиций («меньше 5 штук»)"},
		"Был ли октябрь лучше сентября?":                          {"Нет, выручка за октябрь меньше, чем за сентябрь"},
		"Did revenue fall in October against September?":          {"Yes, revenue is lower in October than in September"},
		"Wildberries прибыльнее Ozon?":                            {"рибыль с ", "меньше, чем у «Ozon»"},
		"сколько нам должна Ромашка?":                             {"Контрагент ООО «Ромашка» нам ничего не должен. Мы должны"},
		"which order is overdue the longest and whose is it":      {"ООО «Ozon»"},
		"хватит ли чайников на 150 дней?":                         {"«Чайник»: нет, не хватит: доступно 144 шт., а за 150 дней продаётся около 165 шт."},
		"Выручка по сайту и Яндексу вместе за октябрь":            {"Выручка за октябрь: ", "у «Сайт», ", "Вместе это ", "-больше"},
		"Сколько в среднем штук в день продавали в октябре?":      {"в среднем за день продано ", " ед. Всего за период продано "},
		"profit per piece in October":                             {"In October profit per unit was RUB ", "-profit was"},
		"Ozon, Wildberries и Сайт: где прибыль больше":            {"Больше всего у «Ozon». Прибыль", "у «Сайт». Вместе это "},
		"доля октября в годовой выручке":                          {"За октябрь — ", "это 10,85 % от ", " с 1 января по "},
		"доля кружек в остатках шоурума":                          {"«Кружка керамическая»: ", " всего запаса на складе «Шоурум»"},
		"какой процент товаров ниже минимума":                     {" % от 319, у которых минимум задан", "-Доли"},
		"доля просроченных заказов":                               {"Доли в этом отчёте нет"},
		"доля наличных":                                           {"это 7,35 % денег на счетах и в кассах"},
		"share of cash in total money":                            {"The till has RUB 544,494.50, 7.35% of it"},
		"лучшие и худшие товары на Ozon за октябрь":               {"Продажи отчёт делит", "-товары по всем каналам.\n\nПродажи"},
		"mugs in the showroom and main":                           {" at “Шоурум”, ", "Together that is ", "-lower"},
		"На сколько больше нам должны, чем мы":                    {"всего должников 11:", "всего кредиторов 7:", "ЭлектроОпт"},
		"товары, которых осталось меньше 5 штук":                  {"Таких позиций («меньше 5 штук»): 38", "-Да,"},
		"какой поставщик у кружки Луч":                            {"Поставщик товара «Кружка"},
		"15% от выручки за октябрь":                               {"Получается 144 963,70 ₽", "966 424,65 ₽"},
		"20 percent of october revenue":                           {"That is RUB 193,284.93"},
		"если Ozon нам заплатит, сколько у нас будет денег":       {"Когда ООО «Ozon» заплатит 80 682,40 ₽, у нас будет "},
		"if Ozon pays us, how much will we have":                  {" pays RUB 80,682.40, we will have "},
		"просроченные заказы на 15 ноября":                        {"Из заказов, открытых до сих пор, на 15 ноября 2026: просроч"},
		"overdue orders as of November 15":                        {"Of the orders that are still open, as of 15 November 2026: "},
		"did we make more in october or september? profit i mean": {"Profit is ", "-Revenue is"},
		"which items are oversold":                                {"27 items have more reserved than in stock, short by 73.8 units."},
		"средняя сумма заказа за октябрь":                         {"средняя сумма заказа — 6 785,91 ₽: 114 заказов на 773 593,85 ₽"},
		// Goods that do not sell are in no figure of sales, so the answer names them.
		"на сколько дней хватит чая":      {"«Чай»: ", "В расчёт не входят ещё ", " они не продавались."},
		"how long will the tea last":      {"“Чай”: ", " This leaves out ", " that did not sell in the last 90 days."},
		"какой чай продаётся хуже всего":  {"На последнем месте «Чай", "Товаров, которые за это время не продавались, здесь нет."},
		"which tea sells the worst":       {"Products without any sales in this time are not listed."},
		"какой чай продаётся лучше всего": {"На первом месте «Чай", "-не продавались"},
		// Today is when orders are to be shipped, not the day on which they were placed. Those of the last days are among them.
		"что отгрузить сегодня":                          {" не отгружено ", "| Заказ | ", "-не было ни заказов"},
		"what do we ship tomorrow":                       {"tomorrow", " are not shipped, for RUB "},
		"покажи заказы с вб за октябрь":                  {" заказов на ", "-не отгружено"},
		"заказ 01013":                                    {"Заказ 01013 не отгружен, но и не просрочен"},
		"заказ 99999":                                    {"Заказ 99999 не просрочен. Среди неотгруженных заказов с "},
		"оборачиваемость озона и вб":                     {"«Ozon FBO» запас обернулся", "«Wildberries» запас обернулся"},
		"оборачиваемость по складам":                     {"Так этот отчёт не делится: показываю всё, без учёта слов «складам»"},
		"чего больше всего на складе":                    {"На первом месте «", " шт.\n"},
		"сколько тапочек продали в августе и в сентябре": {"33 шт. за август, 73 шт. за сентябрь. Вместе это 106 шт."},
		"сколько продали тапочек и ножей за октябрь":     {"Продажи в штуках за октябрь: ", "Вместе это ", " шт."},
		"сколько продали рогов и чайников 3 октября":     {"Продажи в штуках за 3 октября: ничего у товаров «Рога», ничего у товаров «Чайник».", "-неизвестн", "-нельзя"},
		"сколько имеем прибыли с одной футболки":         {"прибыль на единицу — "},
		"how much profit do we make on each mug?":        {"profit per unit was RUB "},
		"какой размер тапочек лучше продаётся":           {"разных товаров отчёт не складывает: в строке одна модификация"},
		"сколько приносят топ 3 товара за октябрь":       {"За октябрь, первые 3: выручка "},
		"выручка без канала за октябрь":                  {"продажи без канала: выручка "},
		"что купили на озоне за октябрь":                 {"товары внутри канала «Ozon» он не показывает"},
		// Figures of two times are added up unless the question compares. Where nothing was sold, nothing is unknown.
		"total revenue for September and October":       {"Revenue: RUB ", " in September, RUB ", "Together that is ", "-lower"},
		"выручка за сентябрь и октябрь":                 {" за сентябрь, ", "Вместе это ", "-меньше"},
		"сравни выручку за сентябрь и октябрь":          {"меньше, чем за сентябрь", "-Вместе"},
		"revenue from candles by month":                 {"nothing in January", "RUB 6,995.00 in February", "in all.", "-unknown"},
		"сколько заработали на свечах в январе и июле?": {"ничего за январь", "-неизвестно", "-данных нет"},
		"profit change from September to October":       {"lower in October than in September", "-August"},
		"а сейчас футболки как, если сравнить с летом?": {"«Футболка» с 1 по ", "Периоды разной длины"},
		"what has changed since last week?":             {" than from ", "Revenue is "},
		// What a question computes with a figure of a report.
		"a quarter of the profit for October":        {"That is RUB 102,134.13, counted from RUB 408,536.53."},
		"треть прибыли за октябрь":                   {"Получается 136 178,84 ₽ (исходя из 408 536,53 ₽)."},
		"revenue for October plus 10%":               {"RUB 1,063,067.12, counted from RUB 966,424.65"},
		"sales for October minus cost":               {"In October profit was RUB 408,536.53"},
		"выручка минус прибыль за октябрь":           {"себестоимость проданного 522 841,12 ₽"},
		"receivables plus cash":                      {"With what is owed to us, it is RUB ", "not deducted"},
		"сколько будут стоить кружки со скидкой 15%": {"Цены у этих товаров разные", "Кружка керамическая Kivi 24 см"},
		// A bound or an order of prices is of what is in stock if the question says so.
		"тапочки до 800 на складе есть?":           {"» («до 800»): в наличии ", "| Цена продажи | Остаток |", "-1 399"},
		"остались ли сковородки дешевле 2000":      {"Нет, «Сковорода Tundra 28 см A-447»: таких позиций («дешевле 2000») в наличии нет."},
		"how many notebooks under 500 are left":    {"“Блокнот” (“under 500”): in stock ", "-Vesta", "-Value at cost"},
		"cheapest headphones left":                 {"At the bottom is “Наушники беспроводные Orlan чёрные”: sale price RUB 599.00", "-B-682"},
		"самый дешёвый чайник в шоуруме":           {"цена продажи", "«Чайник» на складе «Шоурум»: в наличии ", "-себестоимост"},
		"самая дорогая позиция на основном складе": {"себестоимость единицы"},
		"товары дороже 3500 на складе":             {"(«дороже 3500») по себестоимости единицы: "},
		"самая продаваемая футболка за октябрь":    {"На первом месте «Футболка мужская Vesta базовая I-746»: продано 14"},
		"which kettles are the most popular":       {"At the top is “Чайник", ": sold "},
		"any bottles in stock cheaper than 3000?":  {"Yes, ", "Only cards that are not archived are listed here."},
		// Two kinds may share their noun.
		"sold in October: black or white slippers?":                {"“black slippers”", "“white slippers”"},
		"which orders from 16 to 22 November 2026 are not shipped": {"orders placed from 16 to 21 November are not shipped, for", "-not shipped from"},
	} {
		got := b.ask(t.Context(), question(asked))
		requireSays(t, asked, got, phrases)
	}
}

// requireSays fails the test unless an answer contains the phrases, and none of those after "-".
func requireSays(t *testing.T, asked string, got answerEvents, phrases []string) {
	t.Helper()
	text := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(got.text)
	for _, phrase := range phrases {
		unwanted, never := strings.CutPrefix(phrase, "-")
		if got.err != nil || strings.Contains(text, unwanted) == never {
			t.Errorf("%s: %v, %q\n%s", asked, got.err, phrase, text)
		}
	}
}

// Messages are parted by "|". The phrases are of the answer to the last one, as in the test above.
func TestOfflineConversationsGoOn(t *testing.T) {
	b := newShopAgent(t, offline.New(clock), sandbox.Config{Seed: 1})
	for talk, phrases := range map[string][]string{
		"розничные цены на кружки|какие из них самые дорогие": {"На первом месте «Кружка", "Карточек, в наличии товары или нет: ", "-Закупочная"},
		"unshipped orders|oldest one?|how much is it":         {"the oldest is 00232 (", "-The largest", "-|"},
		"неотгруженные заказы|самый новый":                    {"самый новый из неотгруженных — заказ 01031"},
		"cheapest notebook|how many are left":                 {"“Блокнот Уют 12 цветов A-458”: ", "-“Блокнот”"},
		"остатки кружек|а белые есть":                         {"с описанием «белые»", "«Кружка керамическая»"},
		"какие лампы есть в шоуруме|какая из них подешевле":   {"«Лампа светодиодная Берёзка E27 M-82»: цена продажи 1 699"},
		// What is asked next is about what a bound or an order of prices has left.
		"кружки дороже 3500|сколько их осталось":                                                          {"«Кружка керамическая Белый Кит 24 см»: ", "-«Кружка керамическая»:"},
		"чайники до 3000|какие лежат в шоуруме":                                                           {"Товары из списка на складе «Шоурум»: ", "-Зарядное"},
		"самые дорогие гантели|они есть на складе?":                                                       {"Да, товары из списка: ", "Tundra", "Рябина", "-Уют"},
		"чайники дешевле 3000|какие продаются хуже всего":                                                 {"товары из списка: выручка", "-Кастрюля"},
		"дешевле всех какая кружка в шоуруме|а на основном":                                               {"«Кружка керамическая» на складе «Основной»: в наличии "},
		"how many kettles are there|which of them sells better":                                           {"“Чайник”", "-Набор тарелок"},
		"какие цвета футболок есть|а чёрных сколько":                                                      {"«Футболок чёрных»: ", " шт.; есть "},
		"какие футболки заказать|на какую сумму":                                                          {"отчёт не считает", "-₽"},
		"какие ножи заказать|у кого":                                                                      {"| Поставщик |"},
		"каких футболок больше всего|а меньше всего":                                                      {"-Да, "},
		"сколько заказов за сентябрь|а за октябрь|на какую сумму":                                         {" ₽ за сентябрь", "Вместе это "},
		"почём закупаем конструктор|сколько зарабатываем с одного":                                        {"прибыль на единицу"},
		"цена тапочек 38|а 40":                                                                            {"«тапочек 40»", "-нет"},
		"сланцы белые 40|а чёрные":                                                                        {"с описанием «чёрные»"},
		"revenue in September|and in October?|how much did it change?":                                    {"in October than in September", "-↓", "-↑"},
		"продажи вб за октябрь|а озон?|а сайт|сколько вместе":                                             {"у «Wildberries», ", "у «Сайт»", "Вместе это "},
		"товары с запасом больше года|на сколько денег?|доля в запасах":                                   {"всего запаса", "-100 %"},
		"сколько должны Ромашке|а ЭлектроОпту|а Светозару|сколько вместе":                                 {"«Ромашка»", "ЭлектроОпт", "Светозар", "Вместе: "},
		"less than 3 pieces left|only in the main warehouse":                                              {"less than 3", "Основной"},
		"просроченные заказы больше недели|только с сайта":                                                {"больше недели"},
		"overdue orders|only Ozon|what % of the total is that?":                                           {"That is ", ": RUB", "-The oldest"},
		"выручка за сентябрь|какая это доля от года?":                                                     {"За сентябрь — ", " % от "},
		"топ 5 товаров за октябрь|сколько они дали вместе?|какая это доля?":                               {"Это ", " из ", "-На первом"},
		"top 3 products by profit in October|what share of the profit do they make?":                      {"That is ", " of RUB"},
		"profit from Ozon in October|and Wildberries|which is better?|by how much?":                       {"Profit in October is ", "-unknown"},
		"сколько чайников продали в октябре и сколько осталось":                                           {"«Чайник»", "-На всех складах"},
		"выручка за прошлый квартал|а прибыль за квартал?":                                                {"За III квартал прибыль"},
		"Top 5 products by profit in Q3|what is our stock worth?|worst 5 by margin % for the same period": {"In Q3"},
		"чё ушло с основного за вчера|и чего больше всего ушло":                                           {"ушло 0", "-На первом месте"},
		"чё ушло с основного за вчера|и чего меньше всего ушло":                                           {"(столько же ещё у ", "-нет в отчётах"},
		"shortage at Основной|can we afford it":                                                           {"it costs RUB ", "Основной"},
		"whom do we owe?|without Romashka?":                                                               {"Without ООО «Ромашка», we owe the others RUB 498,927.29 of RUB 614,810.79."},
		"кто нам должен?|а с Петровым?":                                                                   {"Мы должны контрагенту «ИП Петров В. Н.»"},
		"сколько нам должна ИП Соколова М. И.":                                                            {"«ИП Соколова М. И.» должен нам 17 119,00 ₽"},
		"mugs or slippers, which sold more?":                                                              {"is lower for “Кружка керамическая” than for “Тапочки войлочные”"},
		"overdue orders|newest first":                                                                     {"| S-254863 |", "-59492044"},
		"did we spend more in September than August":                                                      {"went out", "| September 2026 |", "-Revenue"},
		"revenue on thursday|and orders":                                                                  {"there were ", "orders for", "-From"},
		"orders on thursday|and sales":                                                                    {"revenue was", "-From"},
		"prices|show all":                                                                                 {"Which product do you mean?"},
		"how much compost is left?":                                                                       {"no product “compost”"},
		"кто нам должен|а кому мы|разница":                                                                {" меньше, чем ", "188 266,09 ₽"},
		"долг перед Ромашкой|и перед Светозаром|итого":                                                    {"«Ромашка»", "«Светозар»", "Вместе: "},
		"how much do we owe?|minus what they owe us":                                                      {"we owe RUB 188,266.09 more", "-Without"},
		"продажи кружек за октябрь|по месяцам":                                                            {" за сентябрь", "вместе "},
		"how much do we owe ElektroOpt?|is that more than a third of all payables?":                       {"Yes, ", "44.9%"},
	} {
		session, got := "", answerEvents{}
		for asked := range strings.SplitSeq(talk, "|") {
			req := question(asked)
			req.SessionID = session
			got = b.ask(t.Context(), req)
			session = got.session
		}
		requireSays(t, talk, got, phrases)
	}
}

// A shop may have many accounts, and money in several currencies.
func TestOfflineModelNamesAllCurrencies(t *testing.T) {
	accounts := strings.TrimSuffix(strings.Repeat(`{"name":"40702810000000001234","organization":"Shop","balance":1.00,"currency":"RUB"},`, 12), ",")
	run := func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"accounts":[`+accounts+`],"cash":12.00,"other_currencies":[{"currency":"USD","cash":1.00},
			{"currency":"EUR","cash":2.00},{"currency":"CNY","cash":3.00}],"receivables":0.00,"payables":0.00,"net":12.00,"top_debtors":[],"top_creditors":[]}`), nil
	}
	b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), fixedAccount{simulatedAccount(t, sandbox.Config{Seed: 1})}, run)
	for asked, wants := range map[string][]string{
		"Сколько денег на счетах?":              {"кроме того 1,00 $, 2,00 € и 3,00 ¥.", "Показано 10 из 12."},
		"How much cash is there?":               {"and USD 1.00, EUR 2.00 and CNY 3.00 besides.", "10 of 12 are shown."},
		"Сколько денег в другой валюте?":        {"В другой валюте на счетах 1,00 $, 2,00 € и 3,00 ¥"},
		"How much foreign currency do we have?": {"there is USD 1.00, EUR 2.00 and CNY 3.00"},
	} {
		got := b.ask(t.Context(), question(asked))
		for _, want := range wants {
			if text := strings.ReplaceAll(got.text, "\u00a0", " "); got.err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %v, no %q in\n%s", asked, got.err, want, text)
			}
		}
	}
}
