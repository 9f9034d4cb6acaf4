package tools
type Books struct{}
