package naming_test

import (
	"slices"
	"testing"

	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
)

// All that such names begin with is the quotation mark.
func TestGoodsWithNamesInQuotesAreFound(t *testing.T) {
	goods := naming.NewGoods(slices.Values([]*tools.Good{{Name: `"Ромашка" мыло`, ID: "1"}, {Name: `"Василёк" мыло`, ID: "2"}}))
	found := goods.In(words.Tokens("мыло")).Find(func(int) bool { return true })
	if found == nil || len(found.Names) != 2 || found.Prefix() != "" || found.Query() != "мыло" {
		t.Errorf("%+v", found)
	}
}

func TestANarrowedChoiceIsCalledByWhatItsGoodsHave(t *testing.T) {
	goods := naming.NewGoods(slices.Values([]*tools.Good{
		{Name: "Тапочки (белый)", ID: "1"}, {Name: "Тапочки (чёрный)", ID: "2"},
		{Name: "Мяч (белый)", ID: "3"}, {Name: "Мяч (чёрный)", ID: "4"},
	}))
	var said *naming.Choice
	for _, text := range []string{"тапочек", "белых", "чёрных"} {
		said = said.Narrowed(goods.In(words.Tokens(text)).Find(func(int) bool { return true }))
	}
	if said.Said != "тапочек чёрных" || said.One() != "Тапочки (чёрный)" {
		t.Errorf("%+v", said)
	}
}

func TestShortWordsOfAnotherLanguageAreNoGoods(t *testing.T) {
	goods := naming.NewGoods(slices.Values([]*tools.Good{
		{Name: "Бутылка для воды", ID: "1"}, {Name: "Набор ножей", ID: "2"}, {Name: "Ваза", ID: "3"},
	}))
	for text, found := range map[string]bool{"wood": false, "китая": false, "water": true, "воду": true, "kit": true, "vazi": true} {
		if got := goods.In(words.Tokens(text)).Find(func(int) bool { return true }); (got != nil) != found {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestSurnamesAreFoundInAllCases(t *testing.T) {
	list := naming.NewList([]string{"ИП Петров А. В.", "ИП Соколова М. И."})
	for text, name := range map[string]string{
		"Петров": list.Names[0], "Петрову": list.Names[0], "Петровым": list.Names[0], "Petrov's": list.Names[0],
		"Соколова": list.Names[1], "Соколовой": list.Names[1], "Соколову": list.Names[1],
	} {
		tokens := words.Read(words.Tokens(text), list.Vocabulary)
		if found := list.Find(tokens, func(int) bool { return true }); len(found) != 1 || found[0].Named() != name {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

func TestABrandIsNamedByBothItsWords(t *testing.T) {
	goods := naming.NewGoods(slices.Values([]*tools.Good{
		{Name: "Кружка Белый Кит 24 см", ID: "1"}, {Name: "Кружка Полюс", ID: "2"}, {Name: "Чайник Белый Кит", ID: "3"},
		{Name: "Майка Уют (M, белый)", ID: "4"}, {Name: "Комплект постельного белья", ID: "5"},
	}))
	for text, want := range map[string]int{
		"white mugs": 2, "кружки белый кит": 1, "white whale": 2, "белый": 1, "кит": 2, "бельё": 1, "bed linen": 1,
	} {
		if got := goods.In(words.Tokens(text)).Find(func(int) bool { return true }); got == nil || len(got.Names) != want {
			t.Errorf("%q is %+v, want %d", text, got, want)
		}
	}
}
