// Package reference implements the language in which a model refers to values of reports instead of writing them. In a
// model's text {{expression}} stands for a value, which the service computes and writes.
//
// A [Book] has the results of tools as reports R1, R2, …. The model reads them as [Report.Show] prints them. An
// expression is:
//
//	R1.totals.revenue                    a field of a report
//	R1.rows[3].profit                    of the row printed with number 3
//	R1.rows["A-17"].profit               of the only row with that name or code
//	R2.warehouses[2].units, R1.from      rows of other lists work alike; days and times are values too
//	R1.totals.revenue - R2.totals.revenue, and + * / with numbers and parentheses
//	abs(x)  round(x, 1)  ceil(x)  floor(x)  thousands(x)  millions(x)
//	R1.totals.revenue * 15%              a percentage that the user named
//	R1.rows[3].units * money(380)        an amount that the user named, without a currency
//	R1.totals.revenue / count(1500)      a large number that the user named and that is no amount
//	convert(R2.cash, 80, "USD")          money in another currency; the rate is the price of one foreign unit
//	share(part, whole)                   a percentage;  change(old, new): a percentage with its sign
//	sum(R1.rows, .units)                 avg, min and max are the same
//	count(R1.rows, .margin_percent < 20)
//	len(R1.rows)                         how many rows there are
//	top(R1.rows, "profit", 5)            the 5 rows with the largest profit; bottom(…) is the opposite
//	first(R1.rows, 5)                    the first 5 rows
//	filter(R1.rows, .warehouse == "Main" and .units > 0)
//	group(R1.rows, "supplier", "money")  a row for each supplier: supplier, count, and the sum of money
//	table(top(R1.rows, "profit", 5), "name", "profit", "Price = revenue / units")
//
// In conditions and sums over rows a field starts with a dot, except in quotes. Conditions have == (or =) != < <= >
// >= and, or, not, in ["A", "B"], contains, startsWith, endsWith. Texts are compared without regard to case. If a table
// has a condition in a column, a field without a dot that is compared with one with a dot is of the table's row:
// .revenue > revenue * 2.
//
// Values have kinds, which come from the Go types of the tools' results. Only values of one kind and one currency can
// be added and compared. Other operations change the kind: money / money is a ratio, money * count is money,
// money / units is a price, x * percent is that part of x, and percent - percent is percentage points, but 100% - percent is
// what is left. A bare number is a number in the expression itself. Added or compared, it takes the kind of the other operand. Beside
// money and units it is money if the user wrote it with a currency. It may also be a length of time or a factor between units, so what
// it multiplies or divides is a bare number too, unless that is money or a percentage. Money divided by a large bare number is an error,
// because the number is probably money. [Value.Own] lists these numbers, because no report backs them. Numbers are exact and rounded
// once, when they are written.
//
// A change and a difference of percentages are written with their sign, even above 0, unless abs or words such as "fell by" remove it.
// [Book.Explain] has the sign all the same.
//
// A value that the books do not have is null. Rankings, min and max skip null, and the answer names the skipped rows.
// In conditions, only == null holds for null. Arithmetic with null is an error. A list without members is printed as
// []. It equals null in conditions, and its len is 0.
//
// Other errors are: a field, function, row or text that does not exist, a sum over rows with an unknown part, and a
// value computed from no report. The text of an [Error] says what exists instead, so that the model can correct its
// expression. The limits in eval.go bound the cost of every expression.
//
// The grammar is that of expr-lang/expr. Its own functions are not used, and neither is its virtual machine, which
// computes with float64.
package reference
