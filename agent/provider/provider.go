// Package provider sends requests to models through OpenAI's protocol.
//
// It uses only the types of langchaingo, not its clients. langchaingo's OpenAI client (v0.1.14) loses tool calls of a
// stream, returns a truncated stream as an answer, and drops status codes (exchange_test.go has examples). It also
// encodes the request several times, which took 40 % of the CPU time of a question. Its other clients lose all tool
// calls of a turn but the first (anthropic), do not support tools (ollama), or have very large dependencies (googleai).
// Anthropic, Google and Ollama are called through their OpenAI-compatible endpoints.
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

// Offline is the spec of the built-in model, which needs no provider.
const Offline = "offline"

// Settings has the addresses and credentials of the providers. The fields have the same names as the variables that the
// providers' own clients use. An empty address means the default of the provider.
type Settings struct {
	OpenAIBaseURL   string
	OpenAIAPIKey    string // may be empty if OpenAIBaseURL is set, because local servers often need no key
	AnthropicAPIKey string
	GoogleAPIKey    string
	OllamaHost      string // host, host:port or address

	Log *slog.Logger // nil means slog.Default

	// FirstWait is the pause before the first retry. The pause before the second retry is twice as long. 0 means 500
	// ms.
	FirstWait time.Duration
	// Silence is how long a provider may send nothing before the request fails. 0 means 2 minutes, enough for a
	// reasoning model to think and for a local model to load.
	Silence time.Duration
}

// keyless is sent if there is no key, because some servers require one.
const keyless = "none"

// target returns the target of a spec. If a variable is missing, the error names it.
func (s Settings) target(spec string) (Target, error) {
	kind, name, ok := strings.Cut(spec, "/")
	if !ok || name == "" {
		return Target{}, fmt.Errorf("%q is neither offline nor PROVIDER/NAME, with openai, anthropic, googleai or ollama as PROVIDER", spec)
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

// ollamaBase interprets OLLAMA_HOST as Ollama does: as a host, host:port or address. It replaces 0.0.0.0, on which a
// server can listen but to which a client cannot connect, by the loopback address.
func ollamaBase(host string) (string, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	at, err := url.Parse(host)
	if err != nil || at.Hostname() == "" {
		// The value is not shown, because it may contain a password.
		return "", errors.New("OLLAMA_HOST is not valid; allowed: a host, host:port or address")
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

// Logger returns Log, or the default logger if Log is nil.
func (s Settings) Logger() *slog.Logger { return cmp.Or(s.Log, slog.Default()) }
