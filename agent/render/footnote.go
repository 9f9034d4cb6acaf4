package render

import "github.com/kopeck/kopeck/schemas/bilingual"

// The first words of what the service adds below an answer. Programs recognize these lines by them.
var (
	LegendHead = bilingual.Text{RU: "Цифры", EN: "Figures"}
	SaidHead   = bilingual.Text{RU: "Нет в отчётах", EN: "In no report"}
	SourceHead = bilingual.Text{RU: "Источники", EN: "Sources"}
)
