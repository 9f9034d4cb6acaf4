package truth

import (
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// ReorderPoints is the result of the tool reorder_points.
type ReorderPoints struct {
	Rows   []ReorderRow  `json:"rows"`
	Totals ReorderTotals `json:"totals"`
}

// ReorderRow is a product that was sold in the window.
type ReorderRow struct {
	ProductID        string           `json:"product_id"`
	SoldUnits        decimal.Decimal  `json:"sold_units"`
	DaysInStock      int              `json:"days_in_stock"`
	Censored         bool             `json:"censored"`
	VelocityPerDay   decimal.Decimal  `json:"velocity_per_day"`
	DemandClass      string           `json:"demand_class"`
	LeadTimeDays     *decimal.Decimal `json:"lead_time_days"`
	LeadTimeBasis    *string          `json:"lead_time_basis"`
	LeadTimeReceipts int              `json:"lead_time_receipts"`
	Basis            *string          `json:"basis"`
	SafetyStock      *Statistic       `json:"safety_stock"`
	ReorderPoint     *Statistic       `json:"reorder_point"`
	Units            *decimal.Decimal `json:"units"`
	Available        *decimal.Decimal `json:"available"`
	InTransit        *decimal.Decimal `json:"in_transit"`
	OrderUnits       *decimal.Decimal `json:"order_units"`
	Supplier         *string          `json:"supplier"`
}

// Statistic is a figure that is computed in floating point, with roots and quantiles. Its last digit may differ.
type Statistic struct{ decimal.Decimal }

// Equal reports whether the statistics differ by at most a thousandth.
func (s Statistic) Equal(other Statistic) bool {
	return s.Sub(other.Decimal).Abs().LessThanOrEqual(decimal.New(1, -3))
}

// ReorderTotals has the totals of all rows.
type ReorderTotals struct {
	Positions       int `json:"positions"`
	ToOrder         int `json:"to_order"`
	WithoutLeadTime int `json:"without_lead_time"`
}

// leadTime is a lead time with its standard deviation, in days.
type leadTime struct {
	days     decimal.Decimal
	sd       float64
	receipts int
	basis    string
}

// ReorderPoints returns the reorder points, for a service level, of all products sold in the window, and orders for
// cover more days of sales. given is the lead time in days; if it is nil, the history of each supplier is used.
func (t *Truth) ReorderPoints(window int, level float64, given *decimal.Decimal, cover int, only *sandbox.Store) ReorderPoints {
	var answer ReorderPoints
	stock, leads := byItem(t.places(only)), t.leadTimes()
	for item, h := range t.histories(window, 7, only) {
		if !stocked(item) || !inRange(item) || len(item.Variants) > 0 || !h.sold().IsPositive() {
			continue
		}
		var l *leadTime
		if given != nil {
			l = &leadTime{days: *given, basis: "argument"}
		} else if s := card(item).Supplier; s != nil {
			l = leads[s]
		}
		row := reorderRow(item, h, l, level, cover, stock[item])
		answer.Rows = append(answer.Rows, row)
		answer.Totals.Positions++
		if l == nil {
			answer.Totals.WithoutLeadTime++
		} else if row.OrderUnits.IsPositive() {
			answer.Totals.ToOrder++
		}
	}
	return answer
}

func reorderRow(item *sandbox.Item, h *history, l *leadTime, level float64, cover int, s *shelf) ReorderRow {
	if s == nil {
		s = &shelf{}
	}
	available := s.available()
	row := ReorderRow{
		ProductID: item.ID, SoldUnits: h.sold(), DaysInStock: h.daysAvailable(), Censored: h.ranOut(),
		VelocityPerDay: h.soldIn(decimal.NewFromInt(1)).Round(4), DemandClass: demandClass(h.demandWhileAvailable()),
		Units: &s.units, Available: &available, InTransit: &s.inTransit,
	}
	_, row.Supplier = supplier(item)
	if l == nil {
		return row
	}
	basis, safety := safetyStock(row.DemandClass, level, h, *l)
	point := h.soldIn(l.days).Add(safety).Round(3)
	row.Basis, row.LeadTimeBasis, row.LeadTimeReceipts = &basis, &l.basis, l.receipts
	row.LeadTimeDays, row.SafetyStock, row.ReorderPoint = new(l.days.Round(2)), &Statistic{safety.Round(3)}, &Statistic{point}
	order := decimal.Zero
	if available.LessThanOrEqual(point) {
		places := int32(0)
		if s.units.Exponent() < 0 && !s.units.IsInteger() || slices.ContainsFunc(h.weeks, func(w week) bool { return !w.net.IsInteger() }) {
			places = 3
		}
		order = point.Add(h.soldIn(decimal.NewFromInt(int64(cover)))).Sub(available).RoundCeil(places)
	}
	row.OrderUnits = &order
	return row
}

// demandClass classifies demand as Syntetos and Boylan do: by the interval between sales and the variation of their
// size.
func demandClass(series []decimal.Decimal) string {
	sizes := slices.DeleteFunc(slices.Clone(series), decimal.Decimal.IsZero)
	if len(series) < 8 || len(sizes) < 5 {
		return "short_history"
	}
	rare := big.NewRat(int64(len(series)), int64(len(sizes))).Cmp(big.NewRat(132, 100)) >= 0
	uneven := quotient(variance(sizes), square(mean(sizes))).Cmp(big.NewRat(49, 100)) >= 0
	switch {
	case rare && uneven:
		return "lumpy"
	case rare:
		return "intermittent"
	case uneven:
		return "erratic"
	}
	return "smooth"
}

// safetyStock returns z·√(L·σ² + d²·σL²) for smooth and erratic demand, a quantile of the Poisson distribution for
// intermittent demand, and otherwise the sales of one week.
func safetyStock(class string, level float64, h *history, l leadTime) (basis string, units decimal.Decimal) {
	switch class {
	case "smooth", "erratic":
		perWeek, _ := variance(h.demandWhileAvailable()).Float64()
		d, days := h.soldIn(decimal.NewFromInt(1)).InexactFloat64(), l.days.InexactFloat64()
		return "normal", decimal.NewFromFloat(normalQuantile(level) * math.Sqrt(days*perWeek/7+d*d*l.sd*l.sd))
	case "intermittent":
		during := h.soldIn(l.days)
		quantile := decimal.NewFromFloat(poissonQuantile(during.InexactFloat64(), level))
		return "poisson", decimal.Max(decimal.Zero, quantile.Sub(during))
	}
	return "days_of_cover", h.soldIn(decimal.NewFromInt(7))
}

// normalQuantile computes the quantile of the standard normal distribution by bisection.
func normalQuantile(level float64) float64 {
	low, high := 0.0, 10.0
	for range 200 {
		middle := (low + high) / 2
		if (1+math.Erf(middle/math.Sqrt2))/2 < level {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// poissonQuantile computes the quantile of a Poisson distribution by adding up probabilities.
func poissonQuantile(mean, level float64) float64 {
	sum := 0.0
	for k := 0.0; ; k++ {
		logarithm, _ := math.Lgamma(k + 1)
		if sum += math.Exp(k*math.Log(mean) - mean - logarithm); sum >= level || mean == 0 {
			return k
		}
	}
}

// The following statistics are exact.

func mean(series []decimal.Decimal) *big.Rat {
	sum := new(big.Rat)
	for _, d := range series {
		sum.Add(sum, d.Rat())
	}
	return quotient(sum, big.NewRat(int64(len(series)), 1))
}

// variance returns the variance of a sample.
func variance(series []decimal.Decimal) *big.Rat {
	sum := new(big.Rat)
	if len(series) < 2 {
		return sum
	}
	middle := mean(series)
	for _, d := range series {
		sum.Add(sum, square(new(big.Rat).Sub(d.Rat(), middle)))
	}
	return quotient(sum, big.NewRat(int64(len(series)-1), 1))
}

func square(r *big.Rat) *big.Rat { return new(big.Rat).Mul(r, r) }

func quotient(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// leadTimes returns the lead times of suppliers: from each order in the last year to the first receipt for it.
func (t *Truth) leadTimes() map[*sandbox.Counterparty]*leadTime {
	since := midnight(t.now).AddDate(0, 0, -365)
	history := map[*sandbox.Counterparty][]receipt{}
	for _, order := range t.books.Documents[sandbox.PurchaseOrder] {
		var first *sandbox.Document
		for _, receipt := range order.Followers {
			if posted(receipt) && (first == nil || receipt.Moment.Before(first.Moment)) {
				first = receipt
			}
		}
		if first == nil || order.Moment.Before(since) || first.Moment.Before(order.Moment) || !order.Deleted.IsZero() {
			continue
		}
		received := receipt{after: first.Moment.Sub(order.Moment)}
		for n := range first.Positions {
			received.units = received.units.Add(units(first.Positions[n].Quantity))
		}
		history[first.Agent] = append(history[first.Agent], received)
	}
	leads := map[*sandbox.Counterparty]*leadTime{}
	for supplier, receipts := range history {
		leads[supplier] = leadOf(receipts)
	}
	return leads
}

// receipt is the first receipt for an order, and how long after the order it came.
type receipt struct {
	after time.Duration
	units decimal.Decimal
}

// inDays converts a time to days, to thirty places.
func inDays(d time.Duration) decimal.Decimal {
	return decimal.NewFromInt(int64(d)).DivRound(decimal.NewFromInt(int64(24*time.Hour)), 30)
}

// leadOf returns the median of the times, weighted by units. If there are at least five receipts, it also returns their
// standard deviation.
func leadOf(receipts []receipt) *leadTime {
	slices.SortFunc(receipts, func(a, b receipt) int { return int(a.after - b.after) })
	var whole, counted decimal.Decimal
	var days []decimal.Decimal
	for _, r := range receipts {
		whole = whole.Add(r.units)
		days = append(days, inDays(r.after))
	}
	l := &leadTime{receipts: len(receipts), basis: "history"}
	for n, r := range receipts {
		counted = counted.Add(r.units)
		if twice := counted.Add(counted); twice.Equal(whole) && n+1 < len(receipts) {
			l.days = inDays((r.after + receipts[n+1].after) / 2)
			break
		} else if !twice.LessThan(whole) {
			l.days = inDays(r.after)
			break
		}
	}
	if len(receipts) >= 5 {
		squared, _ := variance(days).Float64()
		l.sd = math.Sqrt(squared)
	}
	return l
}
