// Package provider sends requests to models behind OpenAI's protocol.
//
// Only langchaingo's types are used, not its clients. Its OpenAI client (v0.1.14) loses tool calls of a stream, returns
// a truncated stream as an answer and drops status codes (exchange_test.go has examples). It also encodes the request
// several times, which took 40 % of the CPU time of a question. Its other clients lose all but the first tool call of a
// turn (anthropic), do not support tools (ollama), or have very large dependencies (googleai). Anthropic, Google and
// Ollama are called through their OpenAI-compatible endpoints.
package provider

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// Offline is the spec of the model that works without a provider.
const Offline = "offline"

// Settings has the providers' addresses and credentials, named like the variables of their own clients. An empty
// address means the provider's default.
type Settings struct {
	OpenAIBaseURL   string
	OpenAIAPIKey    string // may be empty when OpenAIBaseURL is set: local servers often need none
	AnthropicAPIKey string
	GoogleAPIKey    string
	OllamaHost      string // host:port or an address

	Log *slog.Logger // nil means slog.Default

	// FirstWait is the pause before the first retry; it doubles for the second. 0 means 500 ms.
	FirstWait time.Duration
	// Silence is how long a provider may send nothing before the request fails; 0 means 2 minutes, which allows a
	// reasoning model to think and a local one to load.
	Silence time.Duration
}

// keyless is sent if there is no key, because some servers require one.
const keyless = "none"

// target returns the target of a spec; the error names a missing variable.
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
		return to, requireSetting(to.Key, "OPENAI_API_KEY")
	case Anthropic:
		to.Key = s.AnthropicAPIKey
		return to, requireSetting(to.Key, "ANTHROPIC_API_KEY")
	case GoogleAI:
		to.Key = s.GoogleAPIKey
		return to, requireSetting(to.Key, "GOOGLE_API_KEY")
	case Ollama:
		base, err := ollamaBase(cmp.Or(s.OllamaHost, "127.0.0.1:11434"))
		to.Base = base
		return to, err
	}
	return to, errKind(kind)
}

func requireSetting(value, variable string) error {
	if value == "" {
		return fmt.Errorf("%s is not set", variable)
	}
	return nil
}

// ollamaBase reads OLLAMA_HOST as Ollama does: a host, host:port or address. 0.0.0.0 is an address to listen on, so the
// loopback address is used instead.
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

// silence is the default of [Settings.Silence].
const silence = 2 * time.Minute

func (s Settings) withDefaults() Settings {
	s.FirstWait = cmp.Or(s.FirstWait, 500*time.Millisecond)
	s.Log = s.Logger()
	return s
}

// Logger returns the log, or the default one.
func (s Settings) Logger() *slog.Logger { return cmp.Or(s.Log, slog.Default()) }
