package offline

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"io"
	"slices"

	"github.com/kopeck/kopeck/agent/offline/intent"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// learntFile holds the learnt model. A test writes it, since learning takes seconds.
const learntFile = "learnt.gz"

//go:embed learnt.gz
var learntContent []byte

// learnt is the content of learntFile: a line of JSON and the model.
type learnt struct {
	Examples string   `json:"examples"` // SHA-256 of the examples
	Words    []string `json:"words"`    // the words of the examples
	Deciding []string `json:"deciding"` // the stems that mostly ask for one report
	Objects  []string `json:"objects"`  // the stems that the examples have where things are named
	Before   []string `json:"before"`   // the stems that several examples have right before the name of goods
	intents  intent.Model
}

func readLearnt() *learnt {
	l := &learnt{}
	unpacked, err := gzip.NewReader(bytes.NewReader(learntContent))
	if err == nil {
		var content []byte
		content, err = io.ReadAll(unpacked)
		head, model, _ := bytes.Cut(content, []byte("\n"))
		err = cmp.Or(err, json.Unmarshal(head, l), l.intents.UnmarshalBinary(model))
	}
	if err != nil {
		panic(learntFile + ": " + err.Error())
	}
	return l
}

// remember loads what was learnt into the catalog.
func (c *catalog) remember() {
	l := readLearnt()
	c.intents = &l.intents
	for _, word := range l.Words {
		form := words.Tokens(word)[0].Forms[0]
		c.vocabulary.AddForm(form)
		c.learnt[stem(form)], c.learntWords[form.Full] = true, true
	}
	c.deciding, c.objects, c.before = setOf(l.Deciding), setOf(l.Objects), setOf(l.Before)
	for class, name := range c.intents.Classes() {
		v := cmp.Or(c.byClass[name], &view{}) // the view is gone, and the examples are still to be learnt anew
		v.class = class
		c.views = append(c.views, v)
	}
	for _, v := range c.views {
		v.alike = slices.DeleteFunc(slices.Clone(c.views), func(other *view) bool { return !other.like(v) })
	}
}

func setOf(stems []string) map[string]bool {
	set := map[string]bool{}
	for _, stem := range stems {
		set[stem] = true
	}
	return set
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
	signBy      = "{by}" // before a figure or a group of rows
	signUnknown = "{?}"  // a word that no example has
)
