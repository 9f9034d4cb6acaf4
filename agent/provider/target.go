package provider

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// Kinds of providers. All speak OpenAI's protocol, some at an address of its own.
const (
	OpenAI    = "openai" // and everything that is compatible
	Anthropic = "anthropic"
	GoogleAI  = "googleai"
	Ollama    = "ollama"
)

// bases are where the kinds are, if nothing else is said.
var bases = map[string]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
	GoogleAI:  "https://generativelanguage.googleapis.com/v1beta/openai",
	Ollama:    "http://127.0.0.1:11434/v1",
}

// Kinds are the kinds of providers that there are.
func Kinds() []string { return slices.Sorted(maps.Keys(bases)) }

func errKind(kind string) error {
	return fmt.Errorf("provider %q is not one of openai, anthropic, googleai, ollama", kind)
}

// Target is one model at one provider's address, and as whom it is asked.
type Target struct {
	Kind    string            // one of [Kinds]
	Base    string            // address before /chat/completions; empty is the kind's
	Key     string            // empty where the provider needs none
	Headers map[string]string // sent besides
	Secrets []string          // values in the headers that nobody else may see
	Model   string            // as the provider knows it

	// FirstByte is how long the provider may be silent before anything of its answer comes; 0 is as long as Silence.
	FirstByte time.Duration
	// Silence is how long it may send nothing; 0 is what [Settings] say.
	Silence time.Duration
}

// address is the target's base.
func (t Target) address() (*url.URL, error) {
	base := cmp.Or(t.Base, bases[t.Kind])
	if base == "" {
		return nil, errKind(t.Kind)
	}
	at, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New("the base URL is not an address; allowed: one of http or https, such as https://api.openai.com/v1")
	}
	return at, nil
}

// oldMaxTokens tells that the provider knows max_tokens only, not max_completion_tokens.
func (t Target) oldMaxTokens() bool { return t.Kind == GoogleAI || t.Kind == Ollama }

// secrets are what must not be seen by anybody but the provider.
func (t Target) secrets() []string {
	var all []string
	for _, secret := range append(slices.Clone(t.Secrets), t.Key) {
		if secret != "" {
			all = append(all, secret)
		}
	}
	return all
}

// Path is an address below a provider's base.
type Path int

// The addresses that requests are passed on to.
const (
	ChatCompletions Path = iota
	Completions
	Responses
	Embeddings
	Moderations
	Images
	Speech
	Transcriptions
	Translations
	Messages // Anthropic's own
)

var paths = [...]string{
	ChatCompletions: "/chat/completions",
	Completions:     "/completions",
	Responses:       "/responses",
	Embeddings:      "/embeddings",
	Moderations:     "/moderations",
	Images:          "/images/generations",
	Speech:          "/audio/speech",
	Transcriptions:  "/audio/transcriptions",
	Translations:    "/audio/translations",
	Messages:        "/messages",
}

// anthropicVersion is the version of Anthropic's protocol for clients that name none.
const anthropicVersion = "2023-06-01"

// head is everything that a request to an address says before its body, but the body's length. Nothing of the client's
// own head goes on.
func (t Target) head(at *url.URL, path Path) *fasthttp.RequestHeader {
	h := &fasthttp.RequestHeader{}
	h.SetMethod(http.MethodPost)
	h.SetRequestURI(at.EscapedPath() + paths[path])
	h.SetHost(at.Host)
	h.SetContentType("application/json")
	h.SetUserAgent("kopeck")
	password, hasPassword := at.User.Password()
	switch {
	case path == Messages:
		h.Set("X-Api-Key", t.Key)
		h.Set("Anthropic-Version", anthropicVersion)
	case t.Key == "" && hasPassword:
		r := &http.Request{Header: http.Header{}}
		r.SetBasicAuth(at.User.Username(), password)
		h.Set(fasthttp.HeaderAuthorization, r.Header.Get("Authorization"))
	default:
		h.Set(fasthttp.HeaderAuthorization, "Bearer "+cmp.Or(t.Key, keyless))
	}
	for name, value := range t.Headers {
		h.Set(name, value)
	}
	return h
}

// Call is a request to a provider.
type Call struct {
	Path     Path
	Kind     string            // Content-Type of the body; empty is JSON
	Headers  map[string]string // in the place of the target's
	Body     [][]byte          // one after the other; not used after the call
	Streamed bool              // the answer is wanted as it comes
	Object   bool              // a whole answer that is no JSON object is none, such as a page of a proxy between
	// Room is asked before a whole answer takes so many bytes of memory in all, until the reply is closed; its error ends the
	// call. Nil is without bound, and answers below [uncounted] are not asked for.
	Room func(bytes int) error
	// Within is when an answer that is to be streamed is given unread, so that the caller need not be silent meanwhile.
	Within time.Duration
}

// Equal tells whether two targets are one.
func (t Target) Equal(u Target) bool {
	return t.Kind == u.Kind && t.Base == u.Base && t.Key == u.Key && t.Model == u.Model && t.FirstByte == u.FirstByte &&
		t.Silence == u.Silence &&
		maps.Equal(t.Headers, u.Headers)
}
