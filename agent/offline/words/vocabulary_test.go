package words

import (
	"slices"
	"testing"
)

// A word is recognized by its stem, so a misspelt word or one in the other alphabet needs the stem of the word that was meant.
func TestWordIsReadWithTheStemOfTheMeantWord(t *testing.T) {
	v := NewVocabulary()
	for _, word := range []string{"продажи", "сколько", "sales", "total"} {
		v.AddForm(FormOf(word))
	}
	for written, meant := range map[string]string{
		"прдажи": "продажи", "slaes": "sales", "skolko": "сколько", "prodazhi": "продажи", "total": "total",
	} {
		if got, want := Read(Tokens(written), v)[0].Forms[0], FormOf(meant); got != want {
			t.Errorf("%s is read as %+v, want %+v", written, got, want)
		}
	}
}

// A comma groups thousands in English, also beside a Russian name, and separates decimals in Russian.
func TestCommaInANumberFollowsTheLanguage(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "raise the price to 4,990", "4990"}, {"en", "бутылка для воды Vesta: make it 4,990.", "4990"}, {"en", "1,250,000 in cash", "1250000"},
		{"ru", "купи 2,500 кг", "2.5"}, {"ru", "купи Orlan 2,5 кг", "2.5"}, {"en", "order 2.5 kg", "2.5"}, {"en", "order 2,5 kg", "2.5"},
	} {
		for _, token := range TokensIn(c.lang, c.text) {
			if token.Number != nil && token.Number.String() != c.want {
				t.Errorf("%s: the number is %s, want %s", c.text, token.Number, c.want)
			}
		}
	}
}

func TestSidesOfASizeAreTwoNumbers(t *testing.T) {
	for _, text := range []string{"20x30", "20х30", "20×30", "20 x 30"} {
		var numbers []string
		for _, token := range Tokens(text) {
			if token.Number != nil {
				numbers = append(numbers, token.Number.String())
			}
		}
		if !slices.Equal(numbers, []string{"20", "30"}) {
			t.Errorf("%s has the numbers %q", text, numbers)
		}
	}
}

func TestDigitsOfOtherScriptsAreNoNumbers(t *testing.T) {
	for _, token := range Tokens("цена ٣ кружек") {
		if token.Number != nil {
			t.Errorf("%s is the number %s", token.Text, token.Number)
		}
	}
}
