package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/schemas/openai"
)

// plainChat is a request for a model that is passed through, without agent or tools.
type plainChat struct {
	chatBody
	to   *models.Model
	api  *api
	kind string // Content-Type; empty is JSON
}

// plainChat reads a request's body as far as it takes to see whether its model is one that is passed through; nil if
// it is another, and then the body has not been found right or wrong.
func (s *Server) plainChat(body []byte, at *api) (*plainChat, error) {
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
		return nil, invalid("The request says twice, or in other letters, what its model, stream or stream_options is.",
			"Say each once, in small letters.")
	case to == nil:
		return nil, nil
	case wrong != nil:
		return nil, wrong
	}
	return &plainChat{chat, to, at, ""}, nil
}

// routeHeader names the route that has answered.
const routeHeader = "X-Kopeck-Route"

// pass has a request answered by the model that it names. It changes the model's name and masks this service's secrets; the
// rest goes as it came. So does the answer, without the usage at the end of a stream that the client did not ask for.
func (s *Server) pass(ctx context.Context, r *request) (answer, error) {
	chat := r.plain
	r.record.model = chat.model
	at := chat.api
	suits := at.suits()
	if suits != nil && !chat.to.HasRoute(suits) {
		return answer{}, invalidFields(field{"model", fmt.Sprintf("must be one of a provider of kind %s, got %.80q", at.kind, chat.model)})
	}
	if chat.secret || s.cfg.RefuseSecrets && !at.form && redact.ContainsOwnSecret(chat.text) {
		return answer{}, secretInside()
	}
	admission, err := s.limit(ctx, r, chat.model, chat.looks())
	if err != nil {
		return answer{}, err
	}
	r.record.admitted, r.record.admission, r.record.prices = true, admission, chat.to.Prices
	headers := r.passedHeaders(at)
	found, key := s.cachedAnswer(r, headers)
	if found != nil {
		return *found, nil
	}
	room := s.arriving.besides(r)
	reply, err := chat.to.Ask(ctx, suits, func(to *routing.Route) provider.Call {
		return provider.Call{Path: at.path, Kind: chat.kind, Headers: headers, Body: chat.body(to),
			Streamed: chat.stream, Object: !at.free, Room: room, Within: s.cfg.Ping}
	})
	if err != nil {
		if provider.MayHaveAnswered(err) {
			r.record.lost, r.record.usage = true, chat.lost()
		}
		return answer{}, plainProblem(err)
	}
	r.record.modelRoute, r.record.modelTries = reply.Route.Name, reply.Tries
	r.record.prices = chat.to.RoutePrices(reply.Route)
	if reply.Streamed() {
		return s.passStream(ctx, r, reply), nil
	}
	kind, text := passedKind(at, reply.ContentType()), reply.Route.WithoutSecrets(reply.Body())
	r.record.use(usageIn(text))
	if r.record.usage == nil && at.text {
		r.record.usage = chat.estimate(len(text) / bytesPerToken)
	}
	header := map[string]string{routeHeader: reply.Route.Name}
	if key != nil {
		header[cacheHeader] = "miss"
		s.cacheAnswer(key, kind, reply.Route, text)
	}
	return answer{status: http.StatusOK, kind: kind, header: header, raw: text, owner: reply}, nil
}

// passedKinds are the Content-Types of answers that may be something else than JSON.
var passedKinds = []string{
	"application/json",
	"application/octet-stream",
	"application/ogg",
	"application/x-subrip",
	"text/plain",
	"text/vtt",
}

// passedKind is the Content-Type that an answer goes on with: none that a browser runs.
func passedKind(at *api, kind string) string {
	media, _, err := mime.ParseMediaType(kind)
	switch {
	case err == nil && media == passedKinds[0],
		err == nil && at.free && (slices.Contains(passedKinds, media) || strings.HasPrefix(media, "audio/")):
		return kind
	case at.free:
		return "application/octet-stream"
	}
	return passedKinds[0]
}

// body is the request's as a route gets it.
func (c *plainChat) body(to *routing.Route) [][]byte {
	if c.api.form {
		return [][]byte{c.text[:c.modelAt.from], []byte(to.Plain.Name), c.text[c.modelAt.to:]}
	}
	return c.sent(to.Quoted, to.OldMaxTokens && c.api.path == provider.ChatCompletions, c.api.asks)
}

// passedHeaders are what of the request's head goes on: what is a part of the protocol.
func (r *request) passedHeaders(at *api) map[string]string {
	if at.path != provider.Messages {
		return nil
	}
	headers := map[string]string{}
	for _, name := range []string{"Anthropic-Version", "Anthropic-Beta"} {
		if value := r.fast.Request.Header.Peek(name); len(value) > 0 {
			headers[name] = string(value)
		}
	}
	return headers
}

// secretInside refuses a request that is not masked: by setting, or since it is a form, whose parts stay as they are.
func secretInside() *problem {
	return invalid("The request holds a key of this service, or what looks like a token of MoySklad.",
		"Take it out: it would go to the model's provider.")
}

// plainProblem is a provider's refusal for the client that has chosen its model: it keeps the provider's status and code. A
// refusal of our key at the provider becomes 502, so that the client does not blame its own.
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
		p = refuse(status, "NOT_FOUND", "The model's provider does not find what the request is about: "+refused.Message,
			"Check the names and ids in it.")
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

// use adds the usage that an answer or an event reports. Some providers report the prompt's tokens in the first event and
// the answer's in the last.
func (r *record) use(told *openai.Usage) {
	if told == nil {
		return
	}
	if r.usage != nil {
		told.PromptTokens = max(told.PromptTokens, r.usage.PromptTokens)
		told.CompletionTokens = max(told.CompletionTokens, r.usage.CompletionTokens)
		told.CachedTokens = max(told.CachedTokens, r.usage.CachedTokens)
		told.TotalTokens = max(told.TotalTokens, told.PromptTokens+told.CompletionTokens)
	}
	r.usage = told
}

var usageKey = []byte(`"usage"`)

// usageIn is the usage in a whole answer or a chunk, where it stands near the end; nil if there is none.
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
	apart := 0 // tokens of the prompt that Anthropic does not count among the input
	whole := s.object(1, func(key, value span) {
		n, err := tokens(value.of(text))
		switch name := string(unquoted(key.of(text))); {
		case name == "prompt_tokens_details", name == "input_tokens_details":
			usage.CachedTokens = cachedIn(value.of(text))
		case err != nil: // other details, which are objects
		case name == "prompt_tokens", name == "input_tokens":
			usage.PromptTokens = n
		case name == "completion_tokens", name == "output_tokens":
			usage.CompletionTokens = n
		case name == "total_tokens":
			usage.TotalTokens = n
		case name == "cache_read_input_tokens":
			usage.CachedTokens = n
			apart += n
		case name == "cache_creation_input_tokens":
			apart += n
		}
	})
	if !whole {
		return nil
	}
	usage.PromptTokens += apart
	usage.CachedTokens = min(usage.CachedTokens, usage.PromptTokens)
	return &usage
}

// tokens reads a count. A count below zero, which would give a budget back, and one over four billion are none.
func tokens(text []byte) (int, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}

// cachedIn is how many tokens the details of a prompt's tokens say to be cached.
func cachedIn(details []byte) (cached int) {
	s := scanner{text: details}
	if s.next() != '{' {
		return 0
	}
	s.object(1, func(key, value span) {
		if string(unquoted(key.of(details))) == "cached_tokens" {
			cached, _ = tokens(value.of(details))
		}
	})
	return cached
}
