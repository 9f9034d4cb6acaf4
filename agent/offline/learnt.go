package offline

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// learntFile is what the examples have taught. A test writes it: learning takes seconds.
const learntFile = "learnt.json.gz"

//go:embed learnt.json.gz
var learntContent []byte

// learnt is the content of the file.
type learnt struct {
	Examples string        `json:"examples"` // SHA-256 of the examples
	Words    []string      `json:"words"`    // that are in them
	Intents  *intent.Model `json:"intents"`
}

func readLearnt() (l learnt) {
	content, err := gzip.NewReader(bytes.NewReader(learntContent))
	if err == nil {
		err = json.NewDecoder(content).Decode(&l)
	}
	if err != nil {
		panic(learntFile + ": " + err.Error())
	}
	return l
}

// remember makes known what the examples have taught.
func (c *catalog) remember() {
	l := readLearnt()
	c.intents = l.Intents
	for _, word := range l.Words {
		form := words.Tokens(word)[0].Forms[0]
		c.vocabulary.AddForm(form)
		if form.Russian {
			c.russian.AddForm(form)
		} else {
			c.english.AddForm(form)
		}
		c.learnt[stem(form)] = true
	}
}

// The signs that stand for what a question names.
const (
	signPeriod  = "{period}"
	signFuture  = "{future}"
	signSpan    = "{span}"
	signPlace   = "{place}" // a warehouse or a channel: one name may be both
	signParty   = "{party}"
	signGoods   = "{goods}"
	signNumber  = "{n}"
	signPercent = "{n}%"
	signUnknown = "{?}" // a word that no example has
)
