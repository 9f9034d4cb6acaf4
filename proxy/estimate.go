package proxy

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

const (
	// bytesPerToken is the approximate length of a token.
	bytesPerToken = 4
	// imageTokens is close to the most that common providers charge for an image.
	imageTokens = 1500
	// defaultAnswerTokens is the expected length of an answer if the request sets no limit.
	defaultAnswerTokens = 1000
	// maxAnswerTokens is the most that is reserved for an answer, even if the request allows more.
	maxAnswerTokens = 8 << 10
	// maxChoices is OpenAI's limit for n.
	maxChoices = 128
	// singleTokenEvent is the length in bytes up to which an event of a stream counts as one token.
	singleTokenEvent = 400
)

// estimate returns the usage of a request whose provider did not report it. The prompt is estimated from the body's length.
func (m *modelRequest) estimate(completion int) *openai.Usage {
	prompt := promptTokens(m.text)
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
	tokens := expectedTokens{prompt: promptTokens(m.text)}
	if m.api.path == provider.Embeddings {
		return tokens
	}
	answers := m.choiceCount()
	tokens.requestedAnswer, tokens.defaultAnswer = answers*min(m.maxTokens, maxAnswerTokens), answers*defaultAnswerTokens
	if m.maxTokens > 0 {
		tokens.defaultAnswer = 0
	}
	return tokens
}

// choiceCount returns how many answers or images the request asks for.
func (m *modelRequest) choiceCount() int { return min(max(m.choices, 1), maxChoices) }

// questionTokens returns the tokens that a question to the agent is expected to use.
func questionTokens(body []byte) expectedTokens {
	return expectedTokens{prompt: promptTokens(body), defaultAnswer: defaultAnswerTokens}
}

// parseCount parses a nonnegative number. It returns 0 for anything else.
func parseCount(text []byte) int {
	n, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

var (
	dataURL   = []byte(`"data:`)
	imageKeys = [][]byte{[]byte(`"url"`), []byte(`"image_url"`), []byte(`"file_data"`)}
)

// promptTokens estimates the tokens of a body. A data URL in an image or file field counts as an image; anywhere else it is
// text.
func promptTokens(body []byte) int {
	length, images := len(body), 0
	for rest := body; ; {
		before, after, found := bytes.Cut(rest, dataURL)
		end := bytes.IndexByte(after, '"')
		if !found || end < 0 {
			return length/bytesPerToken + images*imageTokens
		}
		if isImageValue(before) {
			length, images = length-end, images+1
		}
		rest = after[end:]
	}
}

// isImageValue reports whether the text before a value is the name of an image or file field.
func isImageValue(before []byte) bool {
	key, colon := bytes.CutSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(":"))
	key = bytes.TrimRight(key, " \t\r\n")
	return colon && slices.ContainsFunc(imageKeys, func(name []byte) bool { return bytes.HasSuffix(key, name) })
}

// textFields are the fields that contain an answer's text in the events of a stream.
var textFields = [][]byte{[]byte(`"content"`), []byte(`"text"`), []byte(`"delta"`), []byte(`"arguments"`), []byte(`"partial_json"`),
	[]byte(`"reasoning_content"`), []byte(`"thinking"`)}

// eventTokens estimates the tokens of the answer in one event. Most providers send one token per event, but some send many.
func eventTokens(event []byte) int {
	if len(event) <= singleTokenEvent {
		return 1
	}
	length := 0
	for _, name := range textFields {
		for rest := event; ; {
			_, after, found := bytes.Cut(rest, name)
			if !found {
				break
			}
			rest = after
			after, colon := bytes.CutPrefix(bytes.TrimLeft(after, " "), []byte(":"))
			after, quote := bytes.CutPrefix(bytes.TrimLeft(after, " "), []byte(`"`))
			if colon && quote {
				length += stringLength(after)
			}
		}
	}
	return max(1, length/bytesPerToken)
}

// stringLength returns the length of a JSON string whose opening quote precedes text.
func stringLength(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}
