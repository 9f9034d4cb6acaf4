package grounding

type ledger struct{}
type names struct{}
type papers struct{}
