package proxy

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// plainChat is a request for a model that is passed through, without agent or tools.
type plainChat struct {
	chatBody
	to *models.Model
}

// plainChat reads a chat request's body as far as it takes to see whether its model is one that is passed through; nil if
// it is another, and then the body has not been found right or wrong.
func (s *Server) plainChat(body []byte) (*plainChat, error) {
	set := s.cfg.Models.Set()
	if set.Empty() {
		return nil, nil
	}
	chat, wrong := readChat(body)
	to := set.Find(chat.model)
	switch {
	case errors.Is(wrong, errNotObject):
		return nil, nil // the schema has the words for it
	case errors.Is(wrong, errAmbiguous):
		return nil, invalid("The request says twice, or in other letters, what its model, stream or stream_options is.", "Say each once, in small letters.")
	case to == nil:
		return nil, nil
	case wrong != nil:
		return nil, wrong
	}
	return &plainChat{chat, to}, nil
}

// routeHeader names the route that has answered.
const routeHeader = "X-Kopeck-Route"

// pass has a request answered by the model that it names. Nothing of it is changed but the model's name, and nothing of
// the answer, but that the usage at the end of a stream is kept back from clients that did not ask for it.
func (s *Server) pass(ctx context.Context, r *request) (answer, error) {
	chat := r.plain
	r.record.model = chat.model
	reply, err := chat.to.Ask(ctx, nil, func(to *routing.Route) provider.Call {
		return provider.Call{Body: chat.sent(to.Quoted, to.OldMaxTokens), Streamed: chat.stream, Object: true, Within: s.cfg.Ping}
	})
	if err != nil {
		return answer{}, plainProblem(err)
	}
	r.record.modelRoute, r.record.modelTries = reply.Route.Name, reply.Tries
	if reply.Streamed() {
		return s.passStream(ctx, r, reply), nil
	}
	text := reply.Route.WithoutSecrets(reply.Body())
	r.record.usage = usageIn(text)
	return answer{status: http.StatusOK, kind: reply.ContentType(), header: map[string]string{routeHeader: reply.Route.Name}, raw: text, owner: reply}, nil
}

// counts are what a request adds to the usage of its key.
func (r *record) counts() keys.UsageCounts {
	c := keys.UsageCounts{Requests: 1}
	if r.status >= http.StatusBadRequest {
		c.Failed = 1
	}
	if r.usage == nil {
		c.Uncounted = 1
		return c
	}
	c.PromptTokens, c.CompletionTokens = int64(r.usage.PromptTokens), int64(r.usage.CompletionTokens)
	return c
}

// plainProblem is what a provider's refusal means to the client that has chosen its model: the provider's own status and
// code, but that a refusal of our key is not to be taken for one of the client's.
func plainProblem(err error) error {
	var refused *provider.Error
	if !errors.As(err, &refused) {
		return err
	}
	p := modelAway()
	told := true // in the provider's own code, too
	switch status := refused.Status; status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		p = modelRefuses(refused)
		p.status = status
	case http.StatusRequestEntityTooLarge:
		p = refuse(status, "REQUEST_TOO_LARGE", "The model's provider refuses the request: "+refused.Message, "Send less at once.")
	case http.StatusNotFound:
		p = refuse(status, "NOT_FOUND", "The model's provider does not find what the request is about: "+refused.Message, "Check the names and ids in it.")
	case http.StatusTooManyRequests:
		p = refuse(status, "RATE_LIMITED", "The model's provider takes no more requests for now: "+refused.Message, "Repeat the request later.")
	case http.StatusRequestTimeout:
		p.status = status
	default:
		told = false
	}
	if told {
		p.said = openai.Error{Type: refused.Type, Code: refused.Code}
		if refused.Param != "" {
			p.said.Param = &refused.Param
		}
	}
	p.retryAfter = refused.RetryAfter
	return p.because(err)
}

var usageKey = []byte(`"usage"`)

// usageIn is the usage that a whole answer or a chunk tells of, which stands near its end; nil if it tells of none.
func usageIn(text []byte) *openai.Usage {
	at := bytes.LastIndex(text, usageKey)
	if at < 0 {
		return nil
	}
	s := scanner{text: text, at: at + len(usageKey)}
	s.space()
	if !s.take(':') {
		return nil
	}
	s.space()
	if s.next() != '{' {
		return nil
	}
	var usage openai.Usage
	whole := s.object(1, func(key, value span) {
		n, err := strconv.Atoi(string(value.of(text)))
		switch name := string(unquoted(key.of(text))); {
		case err != nil: // details, which are objects
		case name == "prompt_tokens":
			usage.PromptTokens = n
		case name == "completion_tokens":
			usage.CompletionTokens = n
		case name == "total_tokens":
			usage.TotalTokens = n
		}
	})
	if !whole {
		return nil
	}
	return &usage
}
