package drafts

import "github.com/kopeck/kopeck/schemas/check"

// Problems that arguments can have even if they conform to the schema.
var (
	notPositive   = check.NewWording("must be above zero", "нужно число больше нуля")
	tooFine       = check.NewWording("must have at most two decimals", "не больше двух знаков после запятой")
	tooLittle     = check.NewWording("must be at least %s", "нужно не меньше %s")
	tooMuch       = check.NewWording("must be at most %s", "нужно не больше %s")
	tooManyDigits = check.NewWording("must have at most %s digits", "цифр допустимо не больше %s")
	tooMuchMoney  = check.NewWording("must not add up to more than %s %s", "в сумме нужно не больше %s %s")
	tooManyPrices = check.NewWording(
		"would set %s prices, counting those of variants, and a draft can have at most %s lines",
		"вместе с модификациями это %s цен, а в одном черновике не больше %s строк",
	)
	linesOrShortage = check.NewWording(
		"must be given unless from_shortage is true, and only then",
		"назовите товары с количеством или попросите заказать недостающее, что-то одно",
	)
	nothingShort = check.NewWording(
		"is empty: nothing that is bought from %s is below its minimum, counting what is on its way",
		"у поставщика %s заказывать нечего: с учётом того, что в пути, хватает всего",
	)
	tooManyShort = check.NewWording(
		"has too many products (%s) for a draft, which can have %s lines: name a warehouse, or give lines",
		"не хватает товаров: %s, а в одном черновике не больше %s строк; назовите склад или товары",
	)
	noneHasPrice = check.NewWording(
		"has products (%s), but none with a purchase price in %s on its card: give lines with prices",
		"не хватает товаров: %s, и ни у одного нет в карточке закупочной цены в %s; назовите товары с ценами",
	)
	noPrice = check.NewWording(
		"is required: the card of %s has no purchase price in %s", "в карточке %s нет закупочной цены в %s, назовите цену",
	)
	pricesHidden = check.NewWording(
		"has products (%s), but the employee whose token is used does not see their purchase prices in %s: give lines with prices",
		"не хватает товаров: %s, но закупочные цены в %s не видны сотруднику, чей токен у подключения; назовите товары с ценами",
	)
	priceHidden = check.NewWording(
		"is required: the employee whose token is used does not see the purchase price of %s in %s",
		"закупочная цена %s в %s не видна сотруднику, чей токен у подключения: назовите цену",
	)
	noLongerThere = check.NewWording("is archived or no longer there: %s", "в архиве или удалено: %s")
	otherCurrency = check.NewWording(
		"cannot be set here: the price %s of %s is not in %s; change it in MoySklad",
		"цена %s товара %s в другой валюте, не %s: измените её в МоёмСкладе",
	)
	sameWarehouse = check.NewWording("must differ from from_warehouse", "нужен другой склад, не тот же")
	priceTwice    = check.NewWording("sets the same price of the same product as %s", "та же цена того же товара уже названа (%s)")
	oneNewPrice   = check.NewWording(
		"must be given unless change or change_percent is; exactly one of the three", "назовите новую цену или на сколько её изменить, что-то одно",
	)
	noSalePrice = check.NewWording(
		"must be given: %s of %s is not set yet, so it cannot be raised or lowered",
		"цена %s товара %s пока не указана, поднять или снизить её нельзя: назовите новую цену",
	)
	looksSecret = check.NewWording(
		"has the form of a key or token, which a draft must not contain: leave it out, or enter it in MoySklad",
		"похоже на ключ или токен, в черновике такого быть не должно: уберите или внесите в МоёмСкладе",
	)
	wrongNewPrice = check.NewWording(
		"must leave a price above zero and up to %s: that of %s would be %s",
		"цена должна остаться больше нуля и не больше %s, а у товара %s станет %s",
	)
	noPriceType  = check.NewWording("must be the name or id of a price type, and none fits", "такого типа цен в учёте нет")
	whichCompany = check.NewWording("must name one of the account's %s organizations", "юрлиц в учёте несколько (%s), назовите одно")
)

// Why a confirmed draft failed.
var (
	isGone            = check.NewWording("%s %s is archived or no longer there", "в архиве или удалено: %s %s")
	isRenamed         = check.NewWording("%s %s is now called %s", "%s %s теперь называется %s")
	hasChanged        = check.NewWording("%s of %s %s was %s and is %s", "%s, %s %s: было %s, стало %s")
	hasNewCurrency    = check.NewWording("%s of %s %s was %s and is %s in another currency", "%s, %s %s: было %s, стало %s в другой валюте")
	isNotSet          = check.NewWording("not set", "не указано")
	purchasePrice     = check.NewWording("the purchase price", "закупочная цена")
	namedPrice        = check.NewWording("the price %s", "цена %s")
	aPrice            = check.NewWording("a price", "цена")
	lastChange        = check.NewWording("the last change", "последнее изменение")
	connectionDeleted = check.NewWording(
		"the connection that the draft was made for has been deleted", "подключение, для которого сделан черновик, удалено",
	)
	wasAltered  = check.NewWording("the stored draft is not what its digest stands for", "сохранённый черновик отличается от показанного")
	tookTooLong = check.NewWording(
		"it could not be created within %s h of its confirmation", "не удалось создать за %s ч после подтверждения",
	)
	upstreamRefused = check.NewWording("the upstream refused it: %s", "отказ МойСклада: %s")
	mayBeWritten    = check.NewWording(
		"it is unknown whether an earlier attempt has written it: check in MoySklad",
		"неизвестно, записан ли он предыдущей попыткой: проверьте в МоёмСкладе",
	)
	partlyMade = check.NewWording("of %s changes %s were made", "изменений: %s, записано: %s")
)

// kinds are the names of the objects that a basis can have.
var kinds = map[string]check.Wording{
	"product":      check.NewWording("product", "товар"),
	"variant":      check.NewWording("variant", "модификация"),
	"counterparty": check.NewWording("counterparty", "контрагент"),
	"organization": check.NewWording("organization", "юрлицо"),
	"store":        check.NewWording("store", "склад"),
}

// kindOf returns the name of a kind of object for people.
func kindOf(kind string) any {
	if name, known := kinds[kind]; known {
		return name
	}
	return kind
}
