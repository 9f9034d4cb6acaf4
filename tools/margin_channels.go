package tools

import (
	"cmp"
	"context"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// channelSales has the sales of one channel, services included. An empty id stands for sales without a channel.
type channelSales struct {
	id, name string
	tally    salesTally
}

// NoSalesChannel is the name of the row for sales without a channel, such as retail sales.
const NoSalesChannel = "no sales channel"

// readChannels reads products and variants for each channel, because the upstream's report by channel does not tell for
// which part of the revenue the cost is known. How that report shows sales without a channel is not documented. So
// these sales are computed for each variant: the total minus the sales of all channels.
func (m *marginBuilder) readChannels(ctx context.Context, run *Run, from, to time.Time) error {
	rest := map[string]moysklad.ProfitRow{}
	m.together = map[string]bool{}
	for row, err := range run.Client.Profit(ctx, "byvariant", from, to, moysklad.Query{}) {
		if err != nil {
			return err
		}
		rest[row.Assortment.ID()] = row
		m.together[row.Assortment.ID()] = m.withBasis(newSale(row)).cost != nil
	}
	channels, err := channelsWithSales(ctx, run, from, to)
	if err != nil {
		return err
	}
	m.channels = make([]channelSales, 0, len(channels)+1)
	for _, channel := range channels {
		sales := channelSales{id: channel.ID(), name: channel.Name}
		query := moysklad.Query{Filter: moysklad.Filter{}.Is("salesChannel", moysklad.Href("saleschannel", channel.ID()))}
		for row, err := range run.Client.Profit(ctx, "byvariant", from, to, query) {
			if err != nil {
				return err
			}
			sales.tally.add(m.addSale(newSale(row)))
			rest[row.Assortment.ID()] = subtractRow(rest[row.Assortment.ID()], row)
		}
		m.channels = append(m.channels, sales)
	}
	m.addWithoutChannel(rest)
	return nil
}

// channelsWithSales returns the channels with sales in the period, archived ones included.
func channelsWithSales(ctx context.Context, run *Run, from, to time.Time) ([]moysklad.Ref, error) {
	var channels []moysklad.Ref
	for row, err := range run.Client.Profit(ctx, "bysaleschannel", from, to, moysklad.Query{}) {
		if err != nil {
			return nil, err
		}
		if row.SalesChannel.ID() != "" {
			channels = append(channels, *row.SalesChannel)
		}
	}
	return channels, nil
}

func (m *marginBuilder) addWithoutChannel(rest map[string]moysklad.ProfitRow) {
	sales := channelSales{name: NoSalesChannel}
	for _, row := range rest {
		if row.SellQuantity.IsZero() && row.ReturnQuantity.IsZero() && row.SellSum.IsZero() && row.ReturnSum.IsZero() {
			continue
		}
		sales.tally.add(m.addSale(newSale(row)))
	}
	if sales.tally.rows > 0 {
		m.channels = append(m.channels, sales)
	}
}

// subtractRow returns whole minus part.
func subtractRow(whole, part moysklad.ProfitRow) moysklad.ProfitRow {
	if whole.Assortment == nil {
		whole.Assortment = part.Assortment
	}
	whole.SellQuantity.Decimal = whole.SellQuantity.Sub(part.SellQuantity.Decimal)
	whole.SellSum.Decimal = whole.SellSum.Sub(part.SellSum.Decimal)
	whole.ReturnQuantity.Decimal = whole.ReturnQuantity.Sub(part.ReturnQuantity.Decimal)
	whole.ReturnSum.Decimal = whole.ReturnSum.Sub(part.ReturnSum.Decimal)
	whole.SellCostSum = subtractCost(whole.SellCostSum, part.SellCostSum)
	whole.ReturnCostSum = subtractCost(whole.ReturnCostSum, part.ReturnCostSum)
	return whole
}

func subtractCost(whole, part *moysklad.Kopecks) *moysklad.Kopecks {
	if whole == nil || part == nil {
		return whole
	}
	return &moysklad.Kopecks{Decimal: whole.Sub(part.Decimal)}
}

// channelRows returns the channels, largest revenue first.
func (m *marginBuilder) channelRows() []marginRow {
	sortRows(m.channels, func(a, b channelSales) int {
		return cmp.Or(b.tally.revenue.Cmp(a.tally.revenue), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	basis := fifoCost
	if m.goods != nil {
		basis = purchasePriceCost
	}
	rows := make([]marginRow, len(m.channels))
	for i, channel := range m.channels {
		t := &channel.tally
		rows[i] = marginRow{
			ChannelID:           nilIfEmpty(channel.id),
			Name:                channel.name,
			Kind:                "channel",
			Units:               UnitsOf(t.units),
			Revenue:             MoneyOf(t.revenue),
			CoveredRevenue:      MoneyOf(t.coveredRevenue),
			CostCoveragePercent: coveragePercent(t.coveredRevenue, t.unknownRevenue, t.revenue),
		}
		if t.costKnown() {
			rows[i].CostBasis = &basis
			rows[i].Cost, rows[i].Profit = MoneyOf(t.cost), MoneyOf(t.profit())
			rows[i].MarginPercent = marginPercent(t.profit(), t.coveredRevenue)
		}
	}
	return rows
}
