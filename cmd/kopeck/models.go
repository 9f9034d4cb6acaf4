package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
)

// models are what answers.
type models struct {
	Model         string `env:"KOPECK_MODEL" default:"offline" help:"offline, or PROVIDER/NAME with openai, anthropic, googleai or ollama."`
	ModelFallback string `env:"KOPECK_MODEL_FALLBACK" default:"offline" help:"What answers when the provider is away: offline or none."`

	OpenAIBaseURL   string `env:"OPENAI_BASE_URL" name:"openai-base-url" hidden:""`
	OpenAIAPIKey    string `env:"OPENAI_API_KEY" name:"openai-api-key" hidden:""`
	AnthropicAPIKey string `env:"ANTHROPIC_API_KEY" hidden:""`
	GoogleAPIKey    string `env:"GOOGLE_API_KEY" hidden:""`
	OllamaHost      string `env:"OLLAMA_HOST" hidden:""`
}

// open is the agent's model with its fallback, and the models that are passed through plainly.
func (m models) open(log *slog.Logger, see func(provider.Observation)) (llms.Model, map[string]*provider.Plain, error) {
	if m.ModelFallback != provider.Offline && m.ModelFallback != "none" {
		return nil, nil, setting("KOPECK_MODEL_FALLBACK", fmt.Sprintf("holds %q", m.ModelFallback), "offline or none")
	}
	settings := provider.Settings{
		OpenAIBaseURL:   m.OpenAIBaseURL,
		OpenAIAPIKey:    m.OpenAIAPIKey,
		AnthropicAPIKey: m.AnthropicAPIKey,
		GoogleAPIKey:    m.GoogleAPIKey,
		OllamaHost:      m.OllamaHost,
		Log:             log,
	}
	model, err := provider.New(m.Model, settings)
	if err != nil {
		return nil, nil, fmt.Errorf("KOPECK_MODEL: %w", err)
	}
	model = provider.Observed(model, m.Model, see)
	if m.Model == provider.Offline {
		return model, nil, nil
	}
	plain, err := provider.NewPlain(m.Model, settings)
	if err != nil {
		return nil, nil, fmt.Errorf("KOPECK_MODEL: %w", err)
	}
	if m.ModelFallback == provider.Offline {
		model = provider.WithFallback(model, provider.Observed(offline.New(time.Now), provider.Offline, see), log)
	}
	return model, map[string]*provider.Plain{m.Model: plain}, nil
}
