package sandbox

// commission puts the shipments to each marketplace under a commission contract. The marketplaces have reported half of them
// as sold, less a fee of 15 percent. The receipts from one supplier are under an archived commission contract. One wholesale
// buyer has a sales contract, which changes no figure.
func (m *maker) commission() {
	for _, channel := range m.books.Channels {
		if channel.Type != "MARKETPLACE" {
			continue
		}
		contract := m.contract("Commission", channel.Agent)
		report := m.document(CommissionReportIn, m.at(1, 18, 0))
		report.Agent, report.Contract, report.Channel = channel.Agent, contract, channel
		for _, demand := range m.books.Documents[Demand] {
			if demand.Contract == contract && demand.Posted() {
				report.Sum += demand.Sum / 2
			}
		}
		report.Commitent = Amount(mulDiv(int64(report.Sum), 85, 100))
	}
	supplierReport := m.document(CommissionReportOut, m.at(2, 18, 0))
	supplierReport.Agent = m.books.suppliers()[0]
	supplierReport.Contract = m.contract("Commission", supplierReport.Agent)
	supplierReport.Contract.Archived = true
	supplierReport.Sum, supplierReport.Commitent = Rub(200_000), Rub(180_000)+Kop(50)
	m.contract("Sales", m.books.customers()[0])
}

// contract generates a contract for all shipments to the counterparty and receipts from it.
func (m *maker) contract(kind string, agent *Counterparty) *Contract {
	contract := &Contract{ID: m.id(kindContract), Name: number(m.counts[kindContract]), Type: kind, Agent: agent}
	m.books.Contracts = append(m.books.Contracts, contract)
	for _, kind := range []Kind{Demand, SalesReturn, Supply, PurchaseReturn} {
		for _, document := range m.books.Documents[kind] {
			if document.Agent == agent {
				document.Contract = contract
			}
		}
	}
	return contract
}
