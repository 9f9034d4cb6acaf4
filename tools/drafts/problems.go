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
	noPriceType  = check.NewWording("must be the name or id of a price type, and none fits", "такого типа цен в учёте нет")
	whichCompany = check.NewWording("must name one of the account's %s organizations", "юрлиц в учёте несколько (%s), назовите одно")
)
