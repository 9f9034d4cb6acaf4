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

// model is a scripted model. It does what the first word of the last message says. The test cases can ask it about the
// requests that it got.
type model struct {
	url     string // address of the model
	control string // address where the cases ask about requests, and of the shapes
	shapes  *shapes

	mu    sync.Mutex
	asked map[string][]map[string]json.RawMessage // the user's last message → the requests with it
	seen  map[event]chan struct{}                 // the channel is closed when the event occurs
}

// event occurs once for a message whose answer hangs or is slow. what is "begun" when the model has begun to answer, "left"
// when the client has disconnected, or "go-on" when a case lets the model continue.
type event struct{ what, of string }

func serveModel(t *testing.T) *model {
	m := &model{shapes: readShapes(t), asked: map[string][]map[string]json.RawMessage{}, seen: map[event]chan struct{}{}}
	m.url = agenttest.ServeForever(t, m.turn).URL
	control := httptest.NewServer(http.HandlerFunc(m.report))
	t.Cleanup(control.Close)
	m.control = control.URL
	return m
}

// report serves the test cases. /asked?of=MESSAGE returns the requests with a message. /begun and /left return once the
// event has occurred. /go-on lets the model continue.
func (m *model) report(w http.ResponseWriter, r *http.Request) {
	of := r.URL.Query().Get("of")
	var answer any
	switch r.URL.Path {
	case "/begun", "/left":
		answer = m.waitFor(r.Context(), event{r.URL.Path[1:], of})
	case "/go-on":
		m.signal(event{"go-on", of})
	case "/asked":
		answer = m.requests(of)
	default:
		m.shapes.ServeHTTP(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer) // fails if the case has already ended
}

func (m *model) requests(of string) []map[string]json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]map[string]json.RawMessage{}, m.asked[of]...)
}

// waitFor waits for an event. It returns false if the event does not occur in time.
func (m *model) waitFor(ctx context.Context, e event) bool {
	select {
	case <-m.eventChannel(e):
		return true
	case <-time.After(time.Minute): // shorter than the service's own deadline
	case <-ctx.Done():
	}
	return false
}

func (m *model) eventChannel(e event) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[e] == nil {
		m.seen[e] = make(chan struct{})
	}
	return m.seen[e]
}

// signal records an event. It may be called repeatedly for the same event, because a client may send a message twice.
func (m *model) signal(e event) {
	happened := m.eventChannel(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-happened:
	default:
		close(happened)
	}
}

// The tool calls that the cases expect.
var (
	money = agenttest.Call{Tool: "money_position", Arguments: "{}"}
	first = agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}
	other = agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`}
)

// turn does what the last message says. After the results of tool calls, it ends the answer.
func (m *model) turn(r *agenttest.Reply) {
	message, answered := lastMessage(r.Request.Messages)
	m.mu.Lock()
	m.asked[message] = append(m.asked[message], r.Request.Raw)
	m.mu.Unlock()
	words, _, _ := strings.Cut(message, " #")
	word, rest, _ := strings.Cut(words, " ")
	switch {
	case answered && word == "books":
		agenttest.Say("Готово.")(r)
	case answered && word != "lie":
		agenttest.Say("Код 4711.")(r)
	default:
		m.playPart(r, message, word, rest)
	}
}

func (m *model) playPart(r *agenttest.Reply, message, word, rest string) {
	switch word {
	case "books":
		agenttest.CallTools(money)(r)
	case "door":
		agenttest.CallTools(first)(r)
	case "doors":
		agenttest.CallTools(first, other)(r)
	case "both":
		agenttest.CallTools(money, first)(r)
	case "verdict":
		agenttest.CallTools(agenttest.Call{Tool: "verdict", Arguments: `{"verdict":"да"}`})(r)
	case "json":
		agenttest.Say(`{"verdict":"да"}`)(r)
	case "lie":
		writeUnknownFigure(r, rest)
	case "cut":
		r.Text("Начну. И ")
		r.FinishBy(openai.FinishLength)
	case "break":
		r.Text("Начну. И ")
	case "away":
		agenttest.Refuse(http.StatusInternalServerError, nil, "{}")(r)
	case "hang":
		r.Text("Начну. И тогда ")
		m.signal(event{"begun", message})
		<-r.Gone
		m.signal(event{"left", message})
	case "slow":
		m.signal(event{"begun", message})
		select {
		case <-m.eventChannel(event{"go-on", message}):
			agenttest.Say("Наконец.")(r)
		case <-r.Gone:
		}
	default:
		agenttest.Say(rest)(r)
	}
}

// writeUnknownFigure writes a figure that is in no report.
func writeUnknownFigure(r *agenttest.Reply, how string) {
	switch how {
	case "json":
		agenttest.Say(`{"verdict":"98765.43 ₽"}`)(r)
	case "door":
		agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n":98765}`})(r)
	default:
		agenttest.Say("Ровно 98765.43 ₽.")(r)
	}
}

// lastMessage returns the user's last message, and whether results of tool calls follow it.
func lastMessage(messages []openai.Message) (message string, answered bool) {
	for _, m := range messages {
		switch m.Role {
		case openai.RoleUser:
			message, answered = string(m.Content), false
		case openai.RoleTool:
			answered = true
		}
	}
	return message, answered
}
