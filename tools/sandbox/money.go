package sandbox

import (
	"net/http"
	"time"
)

// cashFlow calls yield for each posted document that moved money. account is the bank account, or nil for the cash desk
// of the organization. sum is in the document's currency, and negative if money went out.
func (b *Books) cashFlow(yield func(d *Document, account *BankAccount, sum Amount)) {
	for _, kind := range []Kind{PaymentIn, PaymentOut, CashIn, CashOut} {
		for _, payment := range b.Documents[kind] {
			if !payment.Posted() {
				continue
			}
			sum := payment.Sum
			if kind == PaymentOut || kind == CashOut {
				sum = -sum
			}
			yield(payment, payment.Account, sum)
		}
	}
	for kind, sign := range map[Kind]Amount{RetailDemand: 1, Prepayment: 1, RetailSalesReturn: -1, PrepaymentReturn: -1} {
		for _, check := range b.Documents[kind] {
			if !check.Posted() {
				continue
			}
			if check.Cash != 0 {
				yield(check, nil, sign*check.Cash)
			}
			if check.NoCash != 0 {
				yield(check, check.Organization.Accounts[0], sign*check.NoCash)
			}
		}
	}
}

// CashBalance returns the money of an organization in one bank account, in that account's currency. If account is nil,
// it returns the money in the cash desk.
func (b *Books) CashBalance(organization *Organization, account *BankAccount) Amount {
	var balance Amount
	b.cashFlow(func(d *Document, where *BankAccount, sum Amount) {
		if where == account && (account != nil || d.Organization == organization) {
			balance += sum
		}
	})
	return balance
}

// moneyRight refuses roles without the right to money reports.
func (r *request) moneyRight() error {
	if r.view.sandbox.config.NoMoneyRight {
		return noView()
	}
	return nil
}

// moneyByAccount answers report/money/byaccount. As in the upstream, rows have no currency, rows of cash desks have no
// account, and meta has no size.
func moneyByAccount(r *request) (any, error) {
	if err := r.moneyRight(); err != nil {
		return nil, err
	}
	rows := []object{}
	for _, organization := range r.view.books.Organizations {
		owner := object{"meta": metaOf(kindOrganization, organization.ID), "name": organization.Name}
		rows = append(rows, object{"organization": owner, "balance": r.view.books.CashBalance(organization, nil)})
		for _, account := range organization.Accounts {
			rows = append(rows, object{
				"account":      object{"meta": metaOf(kindAccount, account.path()), "name": account.Number},
				"organization": owner, "balance": r.view.books.CashBalance(organization, account),
			})
		}
	}
	return object{"context": contextOf(), "meta": reportHead(r, "moneyreport"), "rows": rows}, nil
}

func reportHead(r *request, kind string) object {
	return object{"href": base + r.URL.Path, "type": kind, "mediaType": "application/json"}
}

// buckets splits the requested period into hours, days or months in Moscow time.
func (r *request) buckets() (from, to time.Time, starts []time.Time, err error) {
	from, hasFrom, err := r.moment("momentFrom")
	if err != nil {
		return from, to, nil, err
	}
	to, hasTo, err := r.moment("momentTo")
	if err != nil {
		return from, to, nil, err
	}
	if !hasFrom || !hasTo {
		return from, to, nil, refuse(http.StatusBadRequest, 39000, "Параметры 'momentFrom' и 'momentTo' обязательны")
	}
	next := map[string]func(time.Time) time.Time{
		"hour": func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) },
		"day": func(t time.Time) time.Time {
			y, m, d := t.Date()
			return time.Date(y, m, d+1, 0, 0, 0, 0, t.Location())
		},
		"month": func(t time.Time) time.Time {
			y, m, _ := t.Date()
			return time.Date(y, m+1, 1, 0, 0, 0, 0, t.Location())
		},
	}[r.query.Get("interval")]
	if next == nil {
		return from, to, nil, refuse(
			http.StatusBadRequest, 39001, "Неверное значение параметра 'interval': %s", r.query.Get("interval"),
		).about("interval")
	}
	longest := map[string]time.Duration{"hour": 30 * 24 * time.Hour, "day": 10 * 366 * 24 * time.Hour, "month": 100 * 366 * 24 * time.Hour}
	if to.Sub(from) > longest[r.query.Get("interval")] {
		return from, to, nil, refuse(http.StatusBadRequest, 39002, "Слишком большой период для интервала '%s'", r.query.Get("interval"))
	}
	for start := from; !start.After(to); start = next(start) {
		starts = append(starts, start)
	}
	return from, to, starts, nil
}

// bucketOf returns the index of the interval that contains a time.
func bucketOf(starts []time.Time, moment time.Time) int {
	n := 0
	for n+1 < len(starts) && !moment.Before(starts[n+1]) {
		n++
	}
	return n
}

// moneySeries answers report/money/plotseries in the account's currency. credit is income, debit is expense, and
// balance is their difference in the interval, not the money at its end.
func moneySeries(r *request) (any, error) {
	if err := r.moneyRight(); err != nil {
		return nil, err
	}
	from, to, starts, err := r.buckets()
	if err != nil {
		return nil, err
	}
	filter, err := r.readReport([]string{"organization", "project"}, nil)
	if err != nil {
		return nil, err
	}
	income, expense := make([]Amount, len(starts)), make([]Amount, len(starts))
	var credit, debit Amount
	r.view.books.cashFlow(func(d *Document, _ *BankAccount, sum Amount) {
		if !inPeriod(d.Moment, from, to) || !filter.allows("organization", d.Organization.ID) {
			return
		}
		n, own := bucketOf(starts, d.Moment), d.inOwnCurrency(sum)
		if sum > 0 {
			income[n] += own
			credit += own
		} else {
			expense[n] -= own
			debit -= own
		}
	})
	series := make([]object, len(starts))
	for i, start := range starts {
		series[i] = object{"date": reportMoment(start), "credit": income[i], "debit": expense[i], "balance": income[i] - expense[i]}
	}
	return object{"context": contextOf(), "meta": reportHead(r, "moneyplotseries"), "credit": credit, "debit": debit, "series": series}, nil
}

// documentSeries answers report/sales/plotseries and report/orders/plotseries with numbers and sums of documents. It
// does not subtract returns.
func documentSeries(kind string, kinds ...Kind) endpoint {
	return func(r *request) (any, error) {
		from, to, starts, err := r.buckets()
		if err != nil {
			return nil, err
		}
		filter, err := r.readReport([]string{"organization", "project", "store", "retailStore"}, nil)
		if err != nil {
			return nil, err
		}
		counts, sums := make([]int, len(starts)), make([]Amount, len(starts))
		for _, kind := range kinds {
			for _, document := range r.view.books.Documents[kind] {
				if document.Posted() && inPeriod(document.Moment, from, to) && filter.document(document) && filter.store(document.Store) {
					n := bucketOf(starts, document.Moment)
					counts[n]++
					sums[n] += document.inOwnCurrency(document.Sum)
				}
			}
		}
		series := make([]object, len(starts))
		for i, start := range starts {
			series[i] = object{"date": reportMoment(start), "quantity": counts[i], "sum": sums[i]}
		}
		return object{"context": contextOf(), "meta": reportHead(r, kind), "series": series}, nil
	}
}
