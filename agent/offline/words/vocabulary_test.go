package words

import "testing"

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
