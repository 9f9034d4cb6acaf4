package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	named "github.com/kopeck/kopeck/proxy/models"
)

// models are what answers.
type models struct {
	Model         string `env:"KOPECK_MODEL" default:"offline" help:"The agent's: offline, a name of the models file, or PROVIDER/NAME with openai, anthropic, googleai or ollama."`
	Models        string `env:"KOPECK_MODELS" type:"path" help:"A file of models, their providers and routes; cmd/kopeck/deploy/models.example.yaml is one."`
	ModelFallback string `env:"KOPECK_MODEL_FALLBACK" default:"offline" help:"What answers when the provider is away: offline or none."`

	ModelSecrets string        `env:"KOPECK_MODEL_SECRETS" default:"mask" enum:"mask,refuse" help:"What becomes of keys and tokens in requests for other models: mask or refuse."`
	ModelCache   time.Duration `env:"KOPECK_MODEL_CACHE" default:"0" help:"How long other models' answers at temperature 0 and embeddings are kept for the same request; 0 is not at all."`

	OpenAIBaseURL   string `env:"OPENAI_BASE_URL" name:"openai-base-url" hidden:""`
	OpenAIAPIKey    string `env:"OPENAI_API_KEY" name:"openai-api-key" hidden:""`
	AnthropicAPIKey string `env:"ANTHROPIC_API_KEY" hidden:""`
	GoogleAPIKey    string `env:"GOOGLE_API_KEY" hidden:""`
	OllamaHost      string `env:"OLLAMA_HOST" hidden:""`
}

func (m models) settings(log *slog.Logger) provider.Settings {
	return provider.Settings{
		OpenAIBaseURL:   m.OpenAIBaseURL,
		OpenAIAPIKey:    m.OpenAIAPIKey,
		AnthropicAPIKey: m.AnthropicAPIKey,
		GoogleAPIKey:    m.GoogleAPIKey,
		OllamaHost:      m.OllamaHost,
		Log:             log,
	}
}

// registry is the models that are passed through.
func (m models) registry(log *slog.Logger) (*named.Registry, error) {
	settings := m.settings(log)
	if m.Models == "" {
		if m.Model == provider.Offline {
			return named.Fixed(nil), nil
		}
		set, err := named.Single(m.Model, settings)
		if err != nil {
			return nil, fmt.Errorf("KOPECK_MODEL: %w", err)
		}
		return named.Fixed(set), nil
	}
	registry, err := named.Load(m.Models, func(text []byte, before *named.Set) (*named.Set, error) {
		set, err := named.Read(text, os.Getenv, settings, before)
		if err != nil {
			return nil, err
		}
		return set, m.checkAgent(set, settings)
	})
	if err != nil {
		return nil, fmt.Errorf("KOPECK_MODELS: %w", err)
	}
	return registry, nil
}

// checkAgent sees that the agent's model is in the set; PROVIDER/NAME is put into it.
func (m models) checkAgent(set *named.Set, settings provider.Settings) error {
	if m.Model == provider.Offline {
		return nil
	}
	if set.Find(m.Model) == nil {
		alone, err := named.Single(m.Model, settings)
		if err != nil {
			return fmt.Errorf("KOPECK_MODEL holds %q, which is no model of the file (%w)", m.Model, err)
		}
		set.Add(alone)
	}
	if !set.Find(m.Model).Tools {
		return fmt.Errorf("KOPECK_MODEL holds %q, which cannot call tools", m.Model)
	}
	return nil
}

// minds are the models that the agent answers with.
type minds struct {
	usual    llms.Model
	registry *named.Registry
	named    func(name string) llms.Model
	behind   func(name string) *named.Model // a name of the agent; nil is the offline one, or none
}

// open finds the agent's models, and those that are passed through.
func (m models) open(log *slog.Logger, see func(provider.Observation)) (*minds, error) {
	if m.ModelFallback != provider.Offline && m.ModelFallback != "none" {
		return nil, setting("KOPECK_MODEL_FALLBACK", fmt.Sprintf("holds %q", m.ModelFallback), "offline or none")
	}
	registry, err := m.registry(log)
	if err != nil {
		return nil, err
	}
	unaided := provider.Observed(offline.New(time.Now), provider.Offline, see)
	over := func(name string, model llms.Model) llms.Model {
		model = provider.Observed(model, name, see)
		if m.ModelFallback == provider.Offline {
			model = provider.WithFallback(model, unaided, log)
		}
		return model
	}
	found := &minds{usual: unaided, registry: registry, named: func(name string) llms.Model {
		if model := registry.Find(name); model != nil && model.Tools {
			return over(name, model)
		}
		return nil
	}, behind: func(name string) *named.Model {
		other, is := strings.CutPrefix(name, agent.ModelNameOver(""))
		if !is {
			other = m.Model
		}
		return registry.Find(other)
	}}
	if m.Model != provider.Offline {
		found.usual = over(m.Model, inForce{registry, m.Model})
	}
	return found, nil
}

// inForce is the model that has a name when it is asked.
type inForce struct {
	registry *named.Registry
	name     string
}

// GenerateContent asks the model.
func (m inForce) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	return m.registry.Find(m.name).GenerateContent(ctx, messages, options...) // no set without it comes into force
}

// Call asks with a single text.
func (m inForce) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// watch reads the models file again when it changes, and on SIGHUP.
func (m *minds) watch(ctx context.Context, log *slog.Logger) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGHUP)
	defer signal.Stop(told)
	m.registry.Watch(ctx, told, log)
}
