package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type overdueOrdersArguments struct {
	AsOf       string   `json:"as_of,omitempty" jsonschema_description:"day, YYYY-MM-DD (or RFC 3339), before which an order was due; today if absent"`
	DoneStates []string `json:"done_states,omitempty" jsonschema_description:"statuses in which an order is done; those that the account marks as final if absent"`
	RowLimit
}

type overdueOrdersResult struct {
	AsOf Moment             `json:"as_of" jsonschema:"format=date-time" jsonschema_description:"orders planned for before then are overdue"`
	Rows []overdueOrdersRow `json:"rows"`
	List
	Totals overdueOrdersTotals `json:"totals"`
}

type overdueOrdersRow struct {
	OrderID      string    `json:"order_id"`
	Number       string    `json:"number"`
	Counterparty *string   `json:"counterparty"`
	PlannedAt    Day       `json:"planned_at" jsonschema_description:"Moscow day"`
	DaysOverdue  WholeDays `json:"days_overdue" jsonschema_description:"Moscow days since the planned one"`
	State        *string   `json:"state" jsonschema_description:"null: the order has no status"`
	Sum          *Money    `json:"sum" jsonschema_description:"in the account's currency"`
	ShippedSum   *Money    `json:"shipped_sum"`
}

type overdueOrdersTotals struct {
	Orders        int    `json:"orders"`
	Sum           *Money `json:"sum"`
	ShippedSum    *Money `json:"shipped_sum"`
	UnshippedSum  *Money `json:"unshipped_sum"`
	WithoutStatus int    `json:"without_status"`
}

// overdueOrders makes the calls that README.md lists and explains.
func overdueOrders(ctx context.Context, run *Run, args overdueOrdersArguments) (overdueOrdersResult, error) {
	cutoff, err := args.cutoff(run.Now())
	if err != nil {
		return overdueOrdersResult{}, err
	}
	run.readAt(run.Now())
	states, err := run.Client.States(ctx, "customerorder")
	if err != nil {
		return overdueOrdersResult{}, err
	}
	done, err := doneStates(states, args.DoneStates)
	if err != nil {
		return overdueOrdersResult{}, err
	}
	builder := overdueBuilder{cutoff: cutoff, rows: topRows[overdueOrder]{limit: args.Limit, compare: byDaysOverdue}}
	late := moysklad.Filter{}.Is("applicable", "true").Where("deliveryPlannedMoment", "<", moysklad.FormatMoment(cutoff))
	orders, err := readSplit(ctx, run, "customerorder", late, byOpenState(late, states, done),
		func(d moysklad.Document) (overdueOrder, bool, error) { return newOverdueOrder(d, done) })
	if err != nil {
		return overdueOrdersResult{}, err
	}
	for _, order := range orders {
		builder.add(order)
	}
	run.Note(NoStatusIncluded, map[string]string{"count": fmt.Sprint(builder.withoutStatus)})
	result, err := builder.result(ctx, run, states)
	result.AsOf = Moment(cutoff.Format(time.RFC3339))
	return result, err
}

// cutoff returns the start of a day in Moscow time. Orders planned before it are overdue.
func (a overdueOrdersArguments) cutoff(now time.Time) (time.Time, error) {
	var problems check.InvalidError
	if a.AsOf != "" {
		now = parseDay(&problems, "as_of", a.AsOf, false)
	}
	return startOfDay(now), problems.OrNil()
}

// doneStates returns the ids of the named statuses. If none are named, it returns those of the final statuses.
func doneStates(states []moysklad.State, named []string) (map[string]bool, error) {
	done := map[string]bool{}
	if len(named) == 0 {
		for _, s := range states {
			if s.Type == "Successful" || s.Type == "Unsuccessful" {
				done[s.ID] = true
			}
		}
		return done, nil
	}
	var problems check.InvalidError
	candidates, others := choicesOf(states, func(s moysklad.State) (id, name string) { return s.ID, s.Name })
	for i, name := range named {
		at := slices.IndexFunc(states, func(s moysklad.State) bool {
			return s.ID == strings.TrimSpace(name) || bilingual.Fold(s.Name) == bilingual.Fold(name)
		})
		if at < 0 {
			problems.Add(noMatch.At(fmt.Sprintf("done_states.%d", i), aStatus).WithValue(name).WithChoices(candidates, others))
			continue
		}
		done[states[at].ID] = true
	}
	return done, problems.OrNil()
}

func namesOfStates(states []moysklad.State) map[string]string {
	names := make(map[string]string, len(states))
	for _, s := range states {
		names[s.ID] = s.Name
	}
	return names
}

// maxStatesPerFilter limits the length of a filter: an encoded link takes about 150 bytes, and the upstream accepts at
// most 8 KB for all headers.
const maxStatesPerFilter = 40

// byOpenState splits the filter late by status, and leaves out the statuses in which an order is done.
func byOpenState(late moysklad.Filter, states []moysklad.State, done map[string]bool) []moysklad.Filter {
	filters := []moysklad.Filter{late.Is("state", "")}
	var open []string
	for _, s := range states {
		if !done[s.ID] {
			open = append(open, moysklad.Href("customerorder/metadata/states", s.ID))
		}
	}
	for chunk := range slices.Chunk(open, maxStatesPerFilter) {
		filters = append(filters, late.Is("state", chunk...))
	}
	return filters
}

type overdueOrder struct {
	id, number, agent string
	state             string // empty if the order has no status
	planned           time.Time
	sum, shipped      decimal.Decimal
}

// newOverdueOrder converts a late order. It reports whether the order is open: its status is not one of done, and it is
// not fully shipped. If the sum of an order is 0, the latter cannot be determined, so the order counts as open.
func newOverdueOrder(d moysklad.Document, done map[string]bool) (order overdueOrder, open bool, err error) {
	if d.ShippedSum == nil {
		return order, false, fmt.Errorf("order %s has no shipped sum: %w", d.Name, moysklad.ErrPermission)
	}
	if d.State != nil {
		order.state = d.State.Meta.ID()
	}
	if done[order.state] || d.DeliveryPlanned == nil || d.Sum.IsPositive() && !d.ShippedSum.LessThan(d.Sum.Decimal) {
		return order, false, nil
	}
	order.id, order.number, order.agent, order.planned = d.ID, d.Name, d.Agent.ID(), d.DeliveryPlanned.Time
	order.sum, order.shipped = inOwnCurrency(*d.Sum, d.Rate), inOwnCurrency(*d.ShippedSum, d.Rate)
	return order, true, nil
}

type overdueBuilder struct {
	cutoff                  time.Time
	rows                    topRows[overdueOrder]
	sum, shipped, unshipped decimal.Decimal
	withoutStatus           int
}

func (o *overdueBuilder) add(order overdueOrder) {
	if order.state == "" {
		o.withoutStatus++
	}
	o.sum, o.shipped = o.sum.Add(order.sum), o.shipped.Add(order.shipped)
	o.unshipped = o.unshipped.Add(decimal.Max(decimal.Zero, order.sum.Sub(order.shipped)))
	o.rows.add(order)
}

func byDaysOverdue(a, b overdueOrder) int {
	return cmp.Or(startOfDay(a.planned).Compare(startOfDay(b.planned)), b.sum.Cmp(a.sum), cmp.Compare(a.id, b.id))
}

func (o *overdueBuilder) result(ctx context.Context, run *Run, states []moysklad.State) (overdueOrdersResult, error) {
	listed, list := o.rows.list(run)
	counterparties, err := run.CounterpartyNames(ctx, convert(listed, func(o overdueOrder) string { return o.agent }))
	if err != nil {
		return overdueOrdersResult{}, err
	}
	stateNames := namesOfStates(states)
	result := overdueOrdersResult{
		Rows: make([]overdueOrdersRow, len(listed)),
		List: list,
		Totals: overdueOrdersTotals{
			Orders: o.rows.count, Sum: MoneyOf(o.sum), ShippedSum: MoneyOf(o.shipped), UnshippedSum: MoneyOf(o.unshipped),
			WithoutStatus: o.withoutStatus,
		},
	}
	for i, order := range listed {
		result.Rows[i] = overdueOrdersRow{
			OrderID:      order.id,
			Number:       order.number,
			Counterparty: nilIfEmpty(counterparties[order.agent]),
			PlannedAt:    dayOf(order.planned.In(Moscow)),
			DaysOverdue:  WholeDays(daysBetween(order.planned, o.cutoff)),
			State:        nilIfEmpty(stateNames[order.state]),
			Sum:          MoneyOf(order.sum),
			ShippedSum:   MoneyOf(order.shipped),
		}
	}
	return result, nil
}
