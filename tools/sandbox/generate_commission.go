package sandbox

// commission puts the shipments to each marketplace under a commission contract. Each marketplace has reported half of
// them as sold, and deducted a fee of 15 percent. The receipts from one supplier are under an archived commission
// contract. One wholesale buyer has a sales contract, which does not affect any figure.
func (g *generator) commission() {
	for _, channel := range g.books.Channels {
		if channel.Type != "MARKETPLACE" {
			continue
		}
		contract := g.contract("Commission", channel.Agent)
		report := g.document(CommissionReportIn, g.at(1, 18, 0))
		report.Agent, report.Contract, report.Channel = channel.Agent, contract, channel
		for _, demand := range g.books.Documents[Demand] {
			if demand.Contract == contract && demand.Posted() {
				report.Sum += demand.Sum / 2
			}
		}
		report.Commitent = Amount(mulDiv(int64(report.Sum), 85, 100))
	}
	supplierReport := g.document(CommissionReportOut, g.at(2, 18, 0))
	supplierReport.Agent = g.books.suppliers()[0]
	supplierReport.Contract = g.contract("Commission", supplierReport.Agent)
	supplierReport.Contract.Archived = true
	supplierReport.Sum, supplierReport.Commitent = Rub(200_000), Rub(180_000)+Kop(50)
	g.contract("Sales", g.books.customers()[0])
}

// contract generates a contract, and puts all shipments to the counterparty and receipts from it under the contract.
func (g *generator) contract(kind string, agent *Counterparty) *Contract {
	contract := &Contract{ID: g.id(kindContract), Name: number(g.counts[kindContract]), Type: kind, Agent: agent}
	g.books.Contracts = append(g.books.Contracts, contract)
	for _, kind := range []Kind{Demand, SalesReturn, Supply, PurchaseReturn} {
		for _, document := range g.books.Documents[kind] {
			if document.Agent == agent {
				document.Contract = contract
			}
		}
	}
	return contract
}
