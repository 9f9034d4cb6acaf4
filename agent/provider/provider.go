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
	if _, name, ok := strings.Cut(spec, "/"); !ok || name == "" {
		return nil, fmt.Errorf("%q is neither offline nor PROVIDER/NAME", spec)
	}
	plain, err := NewPlain(spec, s)
	if err != nil {
		return nil, err
	}
	return &remote{plain: plain}, nil
}

// endpoint is where and as whom a model is asked.
type endpoint struct {
	base, key, model string
	oldMaxTokens     bool // knows max_tokens only, not max_completion_tokens
}

// keyless is sent where no key is needed: some servers insist on one.
const keyless = "none"

func (s Settings) endpoint(provider string) (endpoint, error) {
	switch provider {
	case "openai":
		at := endpoint{base: cmp.Or(s.OpenAIBaseURL, "https://api.openai.com/v1"), key: s.OpenAIAPIKey}
		if at.key == "" && s.OpenAIBaseURL != "" {
			at.key = keyless
		}
		return at, missing(at.key, "OPENAI_API_KEY")
	case "anthropic":
		return endpoint{base: "https://api.anthropic.com/v1", key: s.AnthropicAPIKey}, missing(s.AnthropicAPIKey, "ANTHROPIC_API_KEY")
	case "googleai":
		at := endpoint{base: "https://generativelanguage.googleapis.com/v1beta/openai", key: s.GoogleAPIKey, oldMaxTokens: true}
		return at, missing(s.GoogleAPIKey, "GOOGLE_API_KEY")
	case "ollama":
		base, err := ollamaBase(cmp.Or(s.OllamaHost, "127.0.0.1:11434"))
		return endpoint{base: base, key: keyless, oldMaxTokens: true}, err
	default:
		return endpoint{}, fmt.Errorf("provider %q is not one of openai, anthropic, googleai, ollama", provider)
	}
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

func (s Settings) withDefaults() Settings {
	s.FirstWait = cmp.Or(s.FirstWait, 500*time.Millisecond)
	s.Silence = cmp.Or(s.Silence, 2*time.Minute)
	if s.Log == nil {
		s.Log = slog.Default()
	}
	return s
}
