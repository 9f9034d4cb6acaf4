package tools

import "github.com/kopeck/kopeck/schemas/check"

// Problems that arguments can have even if they conform to the schema.
var (
	isBlank          = check.NewWording("must not be blank", "не должно быть пусто")
	nameMissing      = check.NewWording("must be named", "не указано")
	notADay          = check.NewWording("must be a date such as 2026-10-31", "нужна дата, например 2026-10-31")
	tooEarly         = check.NewWording("must be %s or later", "не раньше %s")
	afterTo          = check.NewWording("must not be after to, the last day of the period", "не может быть позже конца периода")
	inTheFuture      = check.NewWording("must not be in the future (today is %s in Moscow)", "этот день ещё не наступил, сегодня %s по Москве")
	wrongNumberField = check.NewWording("must be name, external_code or attribute:NAME", "подходит name, external_code или attribute:НАЗВАНИЕ")
	costHidden       = check.NewWording(
		"cannot be profit, for this connection does not see cost: use revenue",
		"по прибыли нельзя: подключение не видит себестоимость; возьмите выручку (revenue)",
	)
	yBelowX          = check.NewWording("must not be below x_percent", "не может быть меньше границы X")
	noMatch          = check.NewWording("must be the name or id of %s, and none fits", "такого %s в учёте нет")
	severalMatches   = check.NewWording("must be the name or id of %s, and %s fit", "подходит больше одного %s (%s), назовите точнее")
	noProductMatches = check.NewWording(
		"must be the name, code, article or id of a product, and none fits", "товара с таким названием, кодом или артикулом в учёте нет",
	)
	productHasVariants = check.NewWording("must be one of the product's %s variants", "у товара модификаций: %s, назовите одну")
	moreThan           = check.NewWording("more than %s", "больше %s")
	aProduct           = check.NewWording("a product", "товара")
	aWarehouse         = check.NewWording("a warehouse", "склада")
	aCounterparty      = check.NewWording("a counterparty", "контрагента")
	anOwnCompany       = check.NewWording("an organization", "юрлица")
	aSalesChannel      = check.NewWording("a sales channel", "канала продаж")
	aStatus            = check.NewWording("a status of orders", "статуса заказов")
)

// NameMatches returns "none" if the problem is a name that matches no record, and "several" if the name matches more
// than one. In both cases the user must be asked. It returns "" for any other problem.
func NameMatches(p *check.Problem) string {
	switch {
	case p.Wrong.HasWording(noMatch), p.Wrong.HasWording(noProductMatches), p.Wrong.HasWording(nameMissing):
		return "none"
	case p.Wrong.HasWording(severalMatches), p.Wrong.HasWording(productHasVariants):
		return "several"
	}
	return ""
}
