package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	named "github.com/kopeck/kopeck/proxy/models"
)

type models struct {
	Model         string `env:"KOPECK_MODEL" default:"offline" help:"Model of the agent: offline, a name in the models file, or PROVIDER/NAME with openai, anthropic, googleai or ollama."`
	Models        string `env:"KOPECK_MODELS" type:"path" help:"File of models, their providers and routes, such as cmd/kopeck/deploy/models.example.yaml."`
	ModelFallback string `env:"KOPECK_MODEL_FALLBACK" default:"offline" help:"Model to use if the provider is unavailable: offline or none."`

	ModelSecrets string        `env:"KOPECK_MODEL_SECRETS" default:"mask" help:"What to do with keys and tokens in requests to other models: mask or refuse."`
	ModelCache   time.Duration `env:"KOPECK_MODEL_CACHE" default:"0" help:"How long to cache embeddings, and other models' answers at temperature 0; 0 disables the cache."`

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

// registry returns the pass-through models.
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
		set, err := named.Parse(text, os.Getenv, settings, before)
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

// checkAgent checks that the set contains the agent's model. A model of the form PROVIDER/NAME is added to the set if
// necessary.
func (m models) checkAgent(set *named.Set, settings provider.Settings) error {
	if m.Model == provider.Offline {
		return nil
	}
	if set.Find(m.Model) == nil {
		single, err := named.Single(m.Model, settings)
		if err != nil {
			return fmt.Errorf("KOPECK_MODEL holds %q, which is not a model of the file (%w)", m.Model, err)
		}
		set.Add(single)
	}
	if !set.Find(m.Model).Tools {
		return fmt.Errorf("KOPECK_MODEL holds %q, which cannot call tools", m.Model)
	}
	return nil
}

// agentModels are the models of the agent, and the registry that they come from.
type agentModels struct {
	standard llms.Model
	registry *named.Registry
	byName   func(name string) llms.Model
}

// open returns the models of the agent and the registry of pass-through models.
func (m models) open(log *slog.Logger, see func(provider.Observation)) (*agentModels, error) {
	if m.ModelFallback != provider.Offline && m.ModelFallback != "none" {
		return nil, settingError("KOPECK_MODEL_FALLBACK", fmt.Sprintf("holds %q", m.ModelFallback), "offline or none")
	}
	if m.ModelSecrets != "mask" && m.ModelSecrets != "refuse" {
		return nil, settingError("KOPECK_MODEL_SECRETS", fmt.Sprintf("holds %q", m.ModelSecrets), "mask or refuse")
	}
	if m.ModelCache < 0 {
		return nil, settingError("KOPECK_MODEL_CACHE", "holds "+m.ModelCache.String(), "0, or a duration above it, for instance 1h")
	}
	registry, err := m.registry(log)
	if err != nil {
		return nil, err
	}
	offlineModel := provider.WithObserver(offline.New(time.Now), provider.Offline, see)
	withFallback := func(name string, model llms.Model) llms.Model {
		model = provider.WithObserver(model, name, see)
		if m.ModelFallback == provider.Offline {
			model = provider.WithFallback(model, offlineModel, log)
		}
		return model
	}
	result := &agentModels{standard: offlineModel, registry: registry, byName: func(name string) llms.Model {
		if model := registry.Find(name); model != nil && model.Tools {
			return withFallback(name, model)
		}
		return nil
	}}
	if m.Model != provider.Offline {
		result.standard = withFallback(m.Model, currentModel{registry, m.Model})
	}
	return result, nil
}

// currentModel looks its model up for each request, because the models file can change.
type currentModel struct {
	registry *named.Registry
	name     string
}

// GenerateContent sends a request to the model.
func (m currentModel) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	return m.registry.Find(m.name).GenerateContent(ctx, messages, options...) // checkAgent makes sure that each set has this model
}

// Call sends a request that consists of a single text.
func (m currentModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// watch reads the models file again when it changes, and on SIGHUP.
func (m *agentModels) watch(ctx context.Context, log *slog.Logger) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	m.registry.Watch(ctx, hangups, log)
}
