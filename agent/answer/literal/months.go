package literal

import (
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// NamesMonth reports whether a plain text names a month: "in November", «ноябрьская», "22.11.2026".
func NamesMonth(text string, month time.Month) bool {
	for _, word := range plain.Words(text) {
		if monthNamed(word.Text) == int(month) {
			return true
		}
	}
	for f := range Figures(text) {
		if f.Date.Month == int(month) {
			return true
		}
	}
	return false
}

// monthNamed returns the month that a noun or an adjective names; 0 for other words.
func monthNamed(word string) int {
	if month := MonthForms[strings.TrimSuffix(word, "'s")]; month > 0 {
		return month
	}
	for month, beginning := range words.Monthly {
		if strings.HasPrefix(word, beginning) {
			return month
		}
	}
	return 0
}
