package tools

import "github.com/kopeck/kopeck/schemas/check"

// What can be wrong with an argument that fits its schema.
var (
	isBlank       = check.Say("must not be blank", "не должно быть пусто")
	unnamed       = check.Say("must be named", "не указано")
	notADay       = check.Say("must be a date such as 2026-10-31", "нужна дата, например 2026-10-31")
	tooEarly      = check.Say("must be %s or later", "не раньше %s")
	afterTo       = check.Say("must not be after to, the last day of the period", "не может быть позже конца периода")
	inTheFuture   = check.Say("must not be in the future (today is %s in Moscow)", "этот день ещё не наступил, сегодня %s по Москве")
	notANumberIn  = check.Say("must be name, external_code or attribute:NAME", "подходит name, external_code или attribute:НАЗВАНИЕ")
	costUnseen    = check.Say("cannot be profit, for this connection does not see cost: use revenue", "по прибыли нельзя: подключение не видит себестоимость; возьмите выручку (revenue)")
	belowX        = check.Say("must not be below x_percent", "не может быть меньше границы X")
	namesNone     = check.Say("must be the name or id of %s, and none fits", "такого %s в учёте нет")
	namesSeveral  = check.Say("must be the name or id of %s, and %s fit", "подходит больше одного %s (%s), назовите точнее")
	namesNoGood   = check.Say("must be the name, code, article or id of a product, and none fits", "товара с таким названием, кодом или артикулом в учёте нет")
	namesFamily   = check.Say("must be one of the product's %s variants", "у товара модификаций: %s, назовите одну")
	moreThan      = check.Say("more than %s", "больше %s")
	aProduct      = check.Say("a product", "товара")
	aWarehouse    = check.Say("a warehouse", "склада")
	aCounterparty = check.Say("a counterparty", "контрагента")
	anOwnCompany  = check.Say("an organization", "юрлица")
	aSalesChannel = check.Say("a sales channel", "канала продаж")
	aStatus       = check.Say("a status of orders", "статуса заказов")
)

// What can be wrong with an expression, and where.
var (
	atCharacter   = check.Say("is wrong at character %s: %s", "ошибка в знаке %s: %s")
	tooLong       = check.Say("must have at most %s bytes", "слишком длинное, допустимо байт: %s")
	tooDeep       = check.Say("nested deeper than %s levels", "вложенность глубже %s")
	tooManyDigits = check.Say("the value has more than %s digits", "у значения больше %s знаков")
	endsEarly     = check.Say("it ends where a number was expected", "здесь нужно число, а дальше ничего нет")
	misplaced     = check.Say("this cannot stand here", "этого здесь быть не может")
	notANumber    = check.Say("this is no number", "это не число")
	twoNumbers    = check.Say("two numbers without an operator; write 1234.56, without spaces between digits", "два числа без знака действия; пишите 1234.56, без пробелов между цифрами")
	twoReadings   = check.Say("adding a percentage to a number can be read in two ways; write 100 + 100 * 10%% for a tenth more than 100", "процент, прибавленный к числу, понимают по-разному; на десятую больше ста пишут 100 + 100 * 10%%")
	byZero        = check.Say("division by zero", "на ноль делить нельзя")
	unclosed      = check.Say(`")" is missing`, "не хватает «)»")
	unseparated   = check.Say(`"," or ")" was expected`, "здесь нужно «,» или «)»")
	noFunction    = check.Say("this is none of the functions %s", "такой функции нет, есть %s")
	noParentheses = check.Say("%s needs its values in parentheses", "значения %s пишут в скобках")
	valuesOf      = check.Say("wrong number of values for %s", "не то число значений у %s")
	badPlaces     = check.Say("round(x, n) needs a whole n from -%s to %s", "в round(x, n) нужно целое n от -%s до %s")
)

// Fits tells of a problem with a name whether it fits "none" or "several", so that the user is to be asked who or what is
// meant; empty for any other problem.
func Fits(p *check.Problem) string {
	switch {
	case p.Wrong.Says(namesNone), p.Wrong.Says(namesNoGood), p.Wrong.Says(unnamed):
		return "none"
	case p.Wrong.Says(namesSeveral), p.Wrong.Says(namesFamily):
		return "several"
	}
	return ""
}
