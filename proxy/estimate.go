package proxy

import (
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/skim"
	"github.com/kopeck/kopeck/schemas/openai"
)

const (
	// defaultAnswerTokens is the expected length of an answer if the request sets no limit.
	defaultAnswerTokens = 1000
	// maxAnswerTokens is the most that is reserved for an answer, even if the request allows more.
	maxAnswerTokens = 8 << 10
	// maxChoices is OpenAI's limit for n.
	maxChoices = 128
)

// estimate returns the usage of a request whose provider did not report it. The prompt is estimated from the body's length.
func (m *modelRequest) estimate(completion int) *openai.Usage {
	prompt := skim.PromptTokens(m.Text)
	return &openai.Usage{PromptTokens: prompt, CompletionTokens: completion, TotalTokens: prompt + completion, Estimated: true}
}

// lostUsage estimates the usage of a request whose answer did not arrive. The provider may have produced the answer and
// charge for it. It returns nil if there is no estimate.
func (m *modelRequest) lostUsage() *openai.Usage {
	if !m.api.countsText {
		return nil
	}
	tokens := m.expected()
	return m.estimate(max(tokens.requestedAnswer, tokens.defaultAnswer))
}

// expected returns the tokens that the request is expected to use.
func (m *modelRequest) expected() expectedTokens {
	tokens := expectedTokens{prompt: skim.PromptTokens(m.Text)}
	if m.api.path == provider.Embeddings {
		return tokens
	}
	answers := m.choiceCount()
	tokens.requestedAnswer, tokens.defaultAnswer = answers*min(m.MaxTokens, maxAnswerTokens), answers*defaultAnswerTokens
	if m.MaxTokens > 0 {
		tokens.defaultAnswer = 0
	}
	return tokens
}

// choiceCount returns how many answers or images the request asks for.
func (m *modelRequest) choiceCount() int { return min(max(m.Choices, 1), maxChoices) }

// questionTokens returns the tokens that a question to the agent is expected to use.
func questionTokens(body []byte) expectedTokens {
	return expectedTokens{prompt: skim.PromptTokens(body), defaultAnswer: defaultAnswerTokens}
}
