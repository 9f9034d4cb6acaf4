package sandbox

import "slices"

// prepayments generates three prepayments of one customer to the shop. One has been used for half of a receipt, one was
// returned, and one is open.
func (g *generator) prepayments() {
	customer := g.books.customers()[0]
	prepay := func(kind Kind, day int, sum Amount) {
		d := g.document(kind, g.at(day, 12, 0))
		d.Agent, d.Sum, d.Cash = customer, sum, sum
	}
	checks := g.books.Documents[RetailDemand]
	check := checks[slices.IndexFunc(checks, func(d *Document) bool { return d.Posted() && g.daysAgo(d.Moment) < 36 })]
	check.Agent, check.Prepaid = customer, check.Sum/2/1000*1000
	check.Cash, check.NoCash = check.Sum-check.Prepaid, 0
	prepay(Prepayment, 40, check.Prepaid)
	prepay(Prepayment, 39, Rub(700))
	prepay(PrepaymentReturn, 38, Rub(700))
	prepay(Prepayment, 37, Rub(1234)+Kop(56))
}
