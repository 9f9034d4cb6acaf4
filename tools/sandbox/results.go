package sandbox

// resultRoutes are the reports on results: profit, turnover, money, counterparties.
func (s *Sandbox) resultRoutes(_ func(string, answer)) {}
