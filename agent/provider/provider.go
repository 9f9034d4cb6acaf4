// Package provider has the models that the agent may use, all as langchaingo's llms.Model: those of providers that speak
// OpenAI's protocol, and package offline's.
//
// langchaingo is the models' form, not their client. Its own (v0.1.14) for OpenAI loses tool calls of a stream, passes a cut
// stream off as an answer and forgets statuses (exchange_test.go has the shapes); around that, it encodes what is asked
// several times over, which was 40 % of the CPU of a question. Those for others lose all but the first tool call of a turn
// (anthropic), have no tools (ollama), or bring very large dependencies (googleai); Anthropic, Google and Ollama are
// reached by their OpenAI-compatible endpoints.
package provider

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/offline"
)

// Offline is the spec of the model without a model.
const Offline = "offline"

// Settings are the providers' addresses and credentials, named like the variables their own clients read. An empty
// address means the provider's.
type Settings struct {
	OpenAIBaseURL   string
	OpenAIAPIKey    string // may be empty when OpenAIBaseURL is set: local servers often need none
	AnthropicAPIKey string
	GoogleAPIKey    string
	OllamaHost      string // host:port or an address

	Log *slog.Logger // nil means slog.Default

	// FirstWait is the pause before the first retry, doubled for the second; 0 means 500 ms.
	FirstWait time.Duration
	// Silence is how long a provider may send nothing before its answer is given up; 0 means 2 minutes, in which a
	// reasoning model may think and a local one may load.
	Silence time.Duration
}

// New finds the model behind a spec: "offline", or PROVIDER/NAME with one of the providers openai, anthropic, googleai
// and ollama. The error says what is wrong with the spec, or which variable is missing.
func New(spec string, s Settings) (llms.Model, error) {
	if spec == Offline {
		return offline.New(time.Now), nil
	}
	if !strings.Contains(spec, "/") {
		return nil, fmt.Errorf("%q is neither offline nor PROVIDER/NAME", spec)
	}
	plain, err := NewPlain(spec, s)
	if err != nil {
		return nil, err
	}
	return &remote{plain, s}, nil
}

// keyless is sent where no key is needed: some servers insist on one.
const keyless = "none"

// target is what a spec stands for; the error names a variable that is missing.
func (s Settings) target(spec string) (Target, error) {
	kind, name, ok := strings.Cut(spec, "/")
	if !ok || name == "" {
		return Target{}, fmt.Errorf("%q is not PROVIDER/NAME", spec)
	}
	to := Target{Kind: kind, Model: name}
	switch kind {
	case OpenAI:
		to.Base, to.Key = s.OpenAIBaseURL, s.OpenAIAPIKey
		if to.Base != "" {
			return to, nil // local servers often need no key
		}
		return to, missing(to.Key, "OPENAI_API_KEY")
	case Anthropic:
		to.Key = s.AnthropicAPIKey
		return to, missing(to.Key, "ANTHROPIC_API_KEY")
	case GoogleAI:
		to.Key = s.GoogleAPIKey
		return to, missing(to.Key, "GOOGLE_API_KEY")
	case Ollama:
		base, err := ollamaBase(cmp.Or(s.OllamaHost, "127.0.0.1:11434"))
		to.Base = base
		return to, err
	}
	return to, errKind(kind)
}

func missing(value, variable string) error {
	if value == "" {
		return fmt.Errorf("%s is not set", variable)
	}
	return nil
}

// ollamaBase reads OLLAMA_HOST as Ollama does: a host, host:port or address. 0.0.0.0, which a server listens on, is asked
// at the loopback address.
func ollamaBase(host string) (string, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	at, err := url.Parse(host)
	if err != nil || at.Hostname() == "" {
		return "", errors.New("OLLAMA_HOST cannot be read; allowed: a host, host:port or address") // it may hold a password
	}
	if at.Port() == "" && at.Scheme == "http" {
		at.Host += ":11434"
	}
	if at.Hostname() == "0.0.0.0" {
		at.Host = "127.0.0.1:" + at.Port()
	}
	return strings.TrimSuffix(at.String(), "/") + "/v1", nil
}

// silence is how long a provider may send nothing, if nobody says otherwise.
const silence = 2 * time.Minute

func (s Settings) withDefaults() Settings {
	s.FirstWait = cmp.Or(s.FirstWait, 500*time.Millisecond)
	s.Log = s.Logger()
	return s
}

// Logger is the log, which may be the default one.
func (s Settings) Logger() *slog.Logger { return cmp.Or(s.Log, slog.Default()) }
