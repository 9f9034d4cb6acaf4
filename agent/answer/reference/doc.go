// Package reference is the language in which a model refers to reports instead of writing their figures. In a model's text
// {{expression}} stands for a value, which the service computes and writes.
//
// Results of tools are reports R1, R2, … of a [Book]. [Report.Show] is what the model reads of one. An expression is:
//
//	R1.totals.revenue                    a field of a report
//	R1.rows[3].profit                    of the row printed with number 3
//	R1.rows["A-17"].profit               of the only row with that name or code
//	R2.warehouses[2].units, R1.from      other lists are the same; days and moments are values too
//	R1.totals.revenue - R2.totals.revenue, and + * / with numbers and parentheses
//	abs(x)  round(x, 1)  thousands(x)  millions(x)
//	share(part, whole)                   a percentage;  change(old, new): a percentage with its sign
//	sum(R1.rows, .units)                 avg, min and max are the same
//	count(R1.rows, .margin_percent < 20)
//	len(R1.rows)                         how many rows there are
//	top(R1.rows, "profit", 5)            rows; so are bottom(…), first(R1.rows, 5),
//	filter(R1.rows, .warehouse == "Main" and .units > 0)
//	group(R1.rows, "supplier", "money")  a row for each supplier: supplier, count, and the sum of money
//	table(top(R1.rows, "profit", 5), "name", "profit", "Price = revenue / units")
//
// In the conditions and sums of rows a field begins with a point; in quotes it needs none. Conditions have == (or =) != < <= > >= and,
// or, not, in ["A", "B"], contains, startsWith, endsWith. Texts are equal whatever their case is.
//
// Values have kinds, which come from the Go types of the tools' results. Only values of one kind and one currency are added and
// compared; money / money is a ratio, money * count is money, money / units is a price, percent - percent is percentage points,
// x * percent is that part of x. Units per day times a bare number are units; days and months times or divided by one are a
// bare number, since it may be a length of time or another unit. A number in the expression itself takes the kind of what it
// meets; [Value.Own] has these numbers, since no report vouches for them. Numbers are exact until they are written, and rounded
// then, once.
//
// A change and a difference of percentages are written with their sign, also above 0. Where abs takes the sign away, an arrow
// tells whether the later figure is above or below the earlier one.
//
// What the books do not say is null. It has no rank: what a ranking, min or max passes over is told beside it. No condition
// holds of it but == null, and arithmetic with it is an error. A list without members, printed [], is null in a condition; its
// len is 0. An error, too, is a field, a function, a row or a text that does not exist, a sum over rows of which a part is
// missing, and what rests on no report. An [Error] says what there is instead, for the model to mend its expression. No input
// costs more than the bounds in eval.go.
//
// The grammar is that of expr-lang/expr, without its functions and its virtual machine, which counts with float64.
package reference
