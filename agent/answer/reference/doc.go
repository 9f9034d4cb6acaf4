// Package reference is the language in which a model refers to reports instead of writing their figures. In a model's
// text {{expression}} stands for a value, which the service computes and writes.
//
// Results of tools are reports R1, R2, … of a [Book]. The model reads them as [Report.Show] prints them. An
// expression is:
//
//	R1.totals.revenue                    a field of a report
//	R1.rows[3].profit                    of the row printed with number 3
//	R1.rows["A-17"].profit               of the only row with that name or code
//	R2.warehouses[2].units, R1.from      other lists are the same; days and moments are values too
//	R1.totals.revenue - R2.totals.revenue, and + * / with numbers and parentheses
//	abs(x)  round(x, 1)  thousands(x)  millions(x)
//	convert(R2.cash, 80, "RUB")          money in another currency, at the user's rate
//	share(part, whole)                   a percentage;  change(old, new): a percentage with its sign
//	sum(R1.rows, .units)                 avg, min and max are the same
//	count(R1.rows, .margin_percent < 20)
//	len(R1.rows)                         how many rows there are
//	top(R1.rows, "profit", 5)            rows; so are bottom(…), first(R1.rows, 5),
//	filter(R1.rows, .warehouse == "Main" and .units > 0)
//	group(R1.rows, "supplier", "money")  a row for each supplier: supplier, count, and the sum of money
//	table(top(R1.rows, "profit", 5), "name", "profit", "Price = revenue / units")
//
// In conditions and sums over rows a field starts with a point, except in quotes. Conditions have == (or =) != < <= >
// >= and, or, not, in ["A", "B"], contains, startsWith, endsWith. Texts are compared without regard to case.
//
// Values have kinds, which come from the Go types of the tools' results. Only values of one kind and one currency can
// be added and compared; money / money is a ratio, money * count is money, money / units is a price, percent -
// percent is percentage points, x * percent is that part of x. Units per day times a bare number are units. Days and
// months times or divided by a bare number are a bare number, because that number may be a length of time or another
// unit. A number in the expression itself takes the kind of the other operand; [Value.Own] lists these numbers, since
// no report backs them. Numbers are exact and rounded once, when they are written.
//
// A change and a difference of percentages are written with their sign, even above 0. If abs removes the sign, an
// arrow shows whether the later figure is above or below the earlier one.
//
// What the books do not have is null. It has no rank: the answer names what a ranking, min or max skips. The only
// condition that holds for null is == null, and arithmetic with it is an error. A list without members, printed [],
// counts as null in a condition; its len is 0. Other errors are: a field, function, row or text that does not exist,
// a sum over rows of which a part is missing, and a value that rests on no report. An [Error] says what exists
// instead, so that the model can correct its expression. The limits in eval.go bound the cost of every input.
//
// The grammar is that of expr-lang/expr. Its functions and its virtual machine, which counts with float64, are not
// used.
package reference
