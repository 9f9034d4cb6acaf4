package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// model is a scripted model that does what the first word of the last message says, and tells what it was asked.
type model struct {
	url     string // of the model
	control string // of what tells about it, and of the shapes
	shapes  *shapes

	mu    sync.Mutex
	asked map[string][]map[string]json.RawMessage // requests, by the last message of the user
	seen  map[event]chan struct{}                 // closed when it is
}

// event is something that happens once to a message that hangs or is slow: its model has begun, its client has left, its
// model may go on.
type event struct{ what, of string }

func serveModel(t *testing.T) *model {
	m := &model{shapes: readShapes(t), asked: map[string][]map[string]json.RawMessage{}, seen: map[event]chan struct{}{}}
	m.url = agenttest.ServeForever(t, m.turn).URL
	control := httptest.NewServer(http.HandlerFunc(m.tell))
	t.Cleanup(control.Close)
	m.control = control.URL
	return m
}

// tell answers what the cases want to know: /asked?of=MESSAGE at once, /begun and /left when it has. With /go-on they have the
// model go on.
func (m *model) tell(w http.ResponseWriter, r *http.Request) {
	of := r.URL.Query().Get("of")
	var answer any
	switch r.URL.Path {
	case "/begun", "/left":
		answer = m.sees(r.Context(), event{r.URL.Path[1:], of})
	case "/go-on":
		m.happened(event{"go-on", of})
	case "/asked":
		answer = m.requests(of)
	default:
		m.shapes.ServeHTTP(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer) // a case that is over is not told
}

func (m *model) requests(of string) []map[string]json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]map[string]json.RawMessage{}, m.asked[of]...)
}

// sees reports whether an event comes before what asks for it gives up.
func (m *model) sees(ctx context.Context, e event) bool {
	select {
	case <-m.when(e):
		return true
	case <-time.After(time.Minute): // less than the service's own deadline, which ends everything
	case <-ctx.Done():
	}
	return false
}

func (m *model) when(e event) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[e] == nil {
		m.seen[e] = make(chan struct{})
	}
	return m.seen[e]
}

// happened may be told of an event again: a message may be asked twice.
func (m *model) happened(e event) {
	happened := m.when(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-happened:
	default:
		close(happened)
	}
}

// The calls of the cases.
var (
	money = agenttest.Call{Tool: "money_position", Arguments: "{}"}
	first = agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}
	other = agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`}
)

// turn plays the part that the last message names. After the results of calls it ends.
func (m *model) turn(r *agenttest.Reply) {
	said, answered := last(r.Request.Messages)
	m.mu.Lock()
	m.asked[said] = append(m.asked[said], r.Request.Raw)
	m.mu.Unlock()
	words, _, _ := strings.Cut(said, " #")
	word, rest, _ := strings.Cut(words, " ")
	switch {
	case answered && word == "books":
		agenttest.Say("Готово.")(r)
	case answered && word != "lie":
		agenttest.Say("Код 4711.")(r)
	default:
		m.part(r, said, word, rest)
	}
}

func (m *model) part(r *agenttest.Reply, said, word, rest string) {
	switch word {
	case "books":
		agenttest.Ask(money)(r)
	case "door":
		agenttest.Ask(first)(r)
	case "doors":
		agenttest.Ask(first, other)(r)
	case "both":
		agenttest.Ask(money, first)(r)
	case "verdict":
		agenttest.Ask(agenttest.Call{Tool: "verdict", Arguments: `{"verdict":"да"}`})(r)
	case "json":
		agenttest.Say(`{"verdict":"да"}`)(r)
	case "lie":
		lie(r, rest)
	case "cut":
		r.Text("Начну. И ")
		r.FinishBy(openai.FinishLength)
	case "break":
		r.Text("Начну. И ")
	case "away":
		agenttest.Refuse(http.StatusInternalServerError, nil, "{}")(r)
	case "hang":
		r.Text("Начну. И тогда ")
		m.happened(event{"begun", said})
		<-r.Gone
		m.happened(event{"left", said})
	case "slow":
		m.happened(event{"begun", said})
		select {
		case <-m.when(event{"go-on", said}):
			agenttest.Say("Наконец.")(r)
		case <-r.Gone:
		}
	default:
		agenttest.Say(rest)(r)
	}
}

// lie says a figure that is nowhere.
func lie(r *agenttest.Reply, how string) {
	switch how {
	case "json":
		agenttest.Say(`{"verdict":"98765.43 ₽"}`)(r)
	case "door":
		agenttest.Ask(agenttest.Call{Tool: "open_door", Arguments: `{"n":98765}`})(r)
	default:
		agenttest.Say("Ровно 98765.43 ₽.")(r)
	}
}

// last is the last message of the user, and whether results of calls come after it.
func last(messages []openai.Message) (said string, answered bool) {
	for _, m := range messages {
		switch m.Role {
		case openai.RoleUser:
			said, answered = string(m.Content), false
		case openai.RoleTool:
			answered = true
		}
	}
	return said, answered
}
