package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Unconfirmed is what the model says by itself beside figures. It can be right, but no figure of the answer shows it.
type Unconfirmed struct {
	Absent    []string // numbers and dates that no report has: "320 000 ₽ (с ваших слов)", "сентябрь"
	Claims    bool     // the words claim something of figures, whether these show it or not
	Unchecked []string // claims and counts in words: «самый дорогой», «втрое», "three"
}

// Add adds what another text of the answer says.
func (u *Unconfirmed) Add(other Unconfirmed) {
	u.Claims = u.Claims || other.Claims
	for _, item := range other.Absent {
		addOnce(&u.Absent, item)
	}
	for _, item := range other.Unchecked {
		addOnce(&u.Unchecked, item)
	}
}

func addOnce(items *[]string, item string) {
	if !slices.Contains(*items, item) {
		*items = append(*items, item)
	}
}

// Write is the line of the answer that lists it; empty if there is nothing.
func (u *Unconfirmed) Write(lang string) string {
	var parts []string
	for _, list := range []struct {
		head  bilingual.Text
		items []string
	}{
		{bilingual.Text{RU: "Нет в отчётах", EN: "In no report"}, u.Absent},
		{bilingual.Text{RU: "Не проверено", EN: "Not checked"}, u.Unchecked},
	} {
		const most = 8
		if len(list.items) == 0 {
			continue
		}
		end := "."
		if len(list.items) > most {
			list.items, end = list.items[:most], "…"
		}
		parts = append(parts, list.head.In(lang)+": "+strings.Join(list.items, ", ")+end)
	}
	return strings.Join(parts, " ")
}
