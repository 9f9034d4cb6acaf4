package offline

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// learntFile holds the learnt model. A test writes it, since learning takes seconds.
const learntFile = "learnt.json.gz"

//go:embed learnt.json.gz
var learntContent []byte

// learnt is the content of learntFile.
type learnt struct {
	Examples string        `json:"examples"` // SHA-256 of the examples
	Words    []string      `json:"words"`    // the words of the examples
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

// remember loads what was learnt into the catalog.
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
		c.learnt[stem(form)], c.learnt[form.Full] = true, true
	}
}

// The symbols for what a question names.
const (
	signPeriod  = "{period}"
	signFuture  = "{future}"
	signSpan    = "{span}"
	signPlace   = "{place}" // a warehouse or a channel: both can have the same name
	signParty   = "{party}"
	signGoods   = "{goods}"
	signNumber  = "{n}"
	signPercent = "{n}%"
	signUnknown = "{?}" // a word that no example has
)
