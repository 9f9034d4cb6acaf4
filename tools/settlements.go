package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// settlements has the debts between us and counterparties, in the account's currency.
type settlements struct {
	source                string
	debtors, creditors    topRows[partyDebt]
	receivables, payables decimal.Decimal // hundredths
}

type partyDebt struct {
	id, name string
	amount   decimal.Decimal // hundredths, positive
}

// The possible sources of the debts.
const (
	fromReport    = "report"
	fromDocuments = "documents"
)

func newSettlements(source string) *settlements {
	largest := func(a, b partyDebt) int { return cmp.Or(b.amount.Cmp(a.amount), cmp.Compare(a.id, b.id)) }
	const most = 10
	return &settlements{
		source:    source,
		debtors:   topRows[partyDebt]{limit: most, compare: largest},
		creditors: topRows[partyDebt]{limit: most, compare: largest},
	}
}

// add adds the balance of a counterparty. As in the upstream, it is negative if the counterparty owes us.
func (s *settlements) add(id, name string, balance decimal.Decimal) {
	switch {
	case balance.IsNegative():
		s.receivables = s.receivables.Add(balance.Neg())
		s.debtors.add(partyDebt{id, name, balance.Neg()})
	case balance.IsPositive():
		s.payables = s.payables.Add(balance)
		s.creditors.add(partyDebt{id, name, balance})
	}
}

// settlements reads the upstream's report of debts. If the tariff or the role hides the report, or the upstream refuses
// to show archived counterparties in it, settlements computes the debts from documents. If those are hidden too, it
// returns nil.
func (run *Run) settlements(ctx context.Context) (*settlements, error) {
	found, err := run.settlementsFromReport(ctx)
	if !errors.Is(err, moysklad.ErrPermission) && !errors.Is(err, moysklad.ErrRejected) {
		return found, err
	}
	found, err = run.settlementsFromDocuments(ctx)
	if errors.Is(err, moysklad.ErrPermission) {
		return nil, nil
	}
	if err == nil {
		run.Note(RebuiltFromDocuments, nil)
	}
	return found, err
}

// settlementsFromReport also asks for each archived counterparty, because it is not documented whether the list of
// balances has those. It reads the archived counterparties last, so that those archived meanwhile are among them.
func (run *Run) settlementsFromReport(ctx context.Context) (*settlements, error) {
	found, listed := newSettlements(fromReport), map[string]bool{}
	query := moysklad.Query{Filter: moysklad.Filter{}.Where("balance", "!=", "0")}
	for row, err := range run.Client.CounterpartyBalances(ctx, query) {
		if err != nil {
			return nil, err
		}
		listed[row.ID()] = true
		found.add(row.ID(), row.Counterparty.Name, row.Balance.Decimal)
	}
	archived, err := run.Client.ArchivedCounterparties(ctx)
	if err != nil {
		return nil, err
	}
	ids := convert(archived, func(c moysklad.Counterparty) string { return c.ID })
	ids = slices.DeleteFunc(ids, func(id string) bool { return listed[id] })
	for chunk := range slices.Chunk(ids, moysklad.MaxCounterparties) {
		rows, err := run.Client.CounterpartyBalancesOf(ctx, chunk)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found.add(row.ID(), row.Counterparty.Name, row.Balance.Decimal)
		}
	}
	return found, nil
}

// debtSigns lists the kinds of documents that change the balance of a counterparty, with the sign of their sum. The
// sign is positive for documents by which the counterparty gave or paid us something. Shop receipts are not in the
// list, because they are paid at once; [Run.debtsByContract] deducts the part that was prepaid. Goods on commission
// become a debt when the commission agent reports them as sold; the agent's reward is deducted.
var debtSigns = map[string]int64{
	"demand":                 -1,
	"salesreturn":            1,
	"supply":                 1,
	"purchasereturn":         -1,
	"paymentin":              1,
	"cashin":                 1,
	"paymentout":             -1,
	"cashout":                -1,
	"counterpartyadjustment": 1,
	"commissionreportin":     -1,
	"commissionreportout":    1,
	"prepayment":             1,
	"prepaymentreturn":       -1,
}

// debtKey identifies the debts with a counterparty under one contract. contract is empty if there is none, and also for
// kinds of documents that create a debt even under commission contracts.
type debtKey struct{ counterparty, contract string }

func debtKeyOf(kind string, d moysklad.Document) debtKey {
	key := debtKey{counterparty: d.Agent.ID()}
	switch kind {
	case "demand", "salesreturn", "supply", "purchasereturn":
		key.contract = d.Contract.ID()
	}
	return key
}

// debtAmount returns the amount by which a document changes a balance, in the account's currency and without a sign.
func debtAmount(kind string, d moysklad.Document) decimal.Decimal {
	switch {
	case d.CommitentSum != nil:
		return inOwnCurrency(*d.CommitentSum, d.Rate)
	case kind == "retaildemand":
		return inOwnCurrency(d.Prepaid(), d.Rate)
	}
	return inOwnCurrency(*d.Sum, d.Rate)
}

func (run *Run) settlementsFromDocuments(ctx context.Context) (*settlements, error) {
	all, err := run.debtsByContract(ctx)
	if err != nil {
		return nil, err
	}
	commission, err := run.readCommissionContracts(ctx, all)
	if err != nil {
		return nil, err
	}
	counterparties := map[string]decimal.Decimal{}
	for key, balance := range all {
		if !commission[key.contract] {
			counterparties[key.counterparty] = counterparties[key.counterparty].Add(balance)
		}
	}
	found := newSettlements(fromDocuments)
	for id, balance := range counterparties {
		found.add(id, "", balance)
	}
	return found, nil
}

// debtsByContract adds up the posted documents of all time. There are more shop receipts than all other documents, so
// it reads them only if there is a prepayment that they may have used.
func (run *Run) debtsByContract(ctx context.Context) (map[debtKey]decimal.Decimal, error) {
	reader := &debtReader{run: run, sums: map[debtKey]decimal.Decimal{}}
	group, ctx := caught.WithContext(ctx)
	group.SetLimit(maxConcurrentReports)
	for kind, sign := range debtSigns {
		group.Go(func() error {
			found, err := reader.addDocuments(ctx, kind, sign)
			if err == nil && kind == "prepayment" && found {
				_, err = reader.addDocuments(ctx, "retaildemand", -1)
			}
			return err
		})
	}
	return reader.sums, group.Wait()
}

// debtReader adds up documents from lists that are read concurrently.
type debtReader struct {
	run *Run

	mu   sync.Mutex
	sums map[debtKey]decimal.Decimal
}

// addDocuments adds the documents of one kind. It reports whether there was any. Payments that need no closing document
// create no debt.
func (r *debtReader) addDocuments(ctx context.Context, kind string, sign int64) (found bool, err error) {
	query := moysklad.Query{Filter: moysklad.Filter{}.Is("applicable", "true")}
	for document, err := range r.run.Client.DocumentsWithSum(ctx, kind, query) {
		if err != nil {
			return found, err
		}
		if document.NoClosingDocs || document.Agent == nil || document.Agent.Meta.Type != "counterparty" {
			continue
		}
		found = true
		key, sum := debtKeyOf(kind, document), debtAmount(kind, document).Mul(decimal.NewFromInt(sign))
		r.mu.Lock()
		r.sums[key] = r.sums[key].Add(sum)
		r.mu.Unlock()
	}
	return found, nil
}

// readCommissionContracts returns the contracts under which delivered goods create no debt. It reads contracts only if
// some document has one.
func (run *Run) readCommissionContracts(ctx context.Context, all map[debtKey]decimal.Decimal) (map[string]bool, error) {
	commission := map[string]bool{}
	for key := range all {
		if key.contract == "" {
			continue
		}
		contracts, err := run.Client.Contracts(ctx)
		for _, contract := range contracts {
			commission[contract.ID] = contract.Type == moysklad.Commission
		}
		return commission, err
	}
	return commission, nil
}

func (s *settlements) fillResult(ctx context.Context, run *Run, result *moneyPositionResult) error {
	result.Source = &s.source
	result.Receivables, result.Payables = MoneyOf(s.receivables), MoneyOf(s.payables)
	result.Debtors, result.Creditors = s.debtors.count, s.creditors.count
	s.debtors.sortAndCut()
	s.creditors.sortAndCut()
	var unnamed []string
	for _, d := range slices.Concat(s.debtors.rows, s.creditors.rows) {
		if d.name == "" {
			unnamed = append(unnamed, d.id)
		}
	}
	names, err := run.CounterpartyNames(ctx, unnamed)
	if err != nil {
		return err
	}
	toDebt := func(d partyDebt) debt { return debt{d.id, cmp.Or(d.name, names[d.id]), MoneyOf(d.amount)} }
	result.TopDebtors, result.TopCreditors = convert(s.debtors.rows, toDebt), convert(s.creditors.rows, toDebt)
	return nil
}
