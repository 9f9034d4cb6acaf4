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

	"github.com/kopeck/kopeck/keys/redact"
)

// The kinds of providers. All of them support OpenAI's protocol, some at an address of its own.
const (
	OpenAI    = "openai" // OpenAI and all compatible servers
	Anthropic = "anthropic"
	GoogleAI  = "googleai"
	Ollama    = "ollama"
)

// bases has the default address of each kind.
var bases = map[string]string{
	OpenAI:    "https://api.openai.com/v1",
	Anthropic: "https://api.anthropic.com/v1",
	GoogleAI:  "https://generativelanguage.googleapis.com/v1beta/openai",
	Ollama:    "http://127.0.0.1:11434/v1",
}

// Kinds returns the kinds of providers.
func Kinds() []string { return slices.Sorted(maps.Keys(bases)) }

func errKind(kind string) error {
	return fmt.Errorf("provider %q is not one of openai, anthropic, googleai, ollama", kind)
}

// Target is one model at a provider's address, and the credentials for it.
type Target struct {
	Kind    string            // one of [Kinds]
	Base    string            // address without /chat/completions; empty means the default of Kind
	Key     string            // empty if the provider needs none
	Headers map[string]string // additional headers
	Secrets []string          // values in Headers that must not be logged
	Model   string            // the provider's name of the model

	// FirstByte is how long the provider may send nothing before its answer begins. 0 means Silence.
	FirstByte time.Duration
	// Silence is how long the provider may send nothing. 0 means [Settings.Silence].
	Silence time.Duration
}

func (t Target) address() (*url.URL, error) {
	base := cmp.Or(t.Base, bases[t.Kind])
	if base == "" {
		return nil, errKind(t.Kind)
	}
	at, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New("the base URL is not an address; allowed: an http or https address, such as https://api.openai.com/v1")
	}
	return at, nil
}

// oldMaxTokens reports whether the provider supports only max_tokens, not max_completion_tokens.
func (t Target) oldMaxTokens() bool { return t.Kind == GoogleAI || t.Kind == Ollama }

// secrets returns the texts that must be sent only to the provider. A local server's key may be a common word, which would
// also be in answers.
func (t Target) secrets() []string {
	return redact.Recognizable(append(slices.Clone(t.Secrets), t.Key)...)
}

// Path is a path below a provider's base address.
type Path int

// The paths of requests.
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
	Messages // Anthropic's own protocol
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

// anthropicVersion is sent if the client sends no version of Anthropic's protocol.
const anthropicVersion = "2023-06-01"

// head returns the headers of a request, except its length. Headers of our own client are never passed on.
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
	Path         Path
	ContentType  string            // Content-Type of the body; empty means JSON
	Headers      map[string]string // headers that replace those of the target
	Body         [][]byte          // the pieces are concatenated; they are not used after the call
	Streamed     bool              // read the answer as it arrives
	MustBeObject bool              // treat an answer that is not a JSON object, such as an HTML page of a proxy, as an error
	// Reserve is called before an answer uses more memory, with the total in bytes. The memory is used until the reply
	// is closed. If Reserve returns an error, the call ends with it. nil means no limit. Reserve is not called up to
	// [uncounted] bytes.
	Reserve func(bytes int) error
	// HeaderWait is how long Ask waits for the headers of a streamed answer. After that, it returns the reply without
	// them, so that the caller can send something in the meantime.
	HeaderWait time.Duration
}

// Equal reports whether two targets are the same.
func (t Target) Equal(u Target) bool {
	return t.Kind == u.Kind && t.Base == u.Base && t.Key == u.Key && t.Model == u.Model && t.FirstByte == u.FirstByte &&
		t.Silence == u.Silence &&
		maps.Equal(t.Headers, u.Headers)
}
