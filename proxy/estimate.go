package proxy

import (
	"bytes"
	"strconv"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

const (
	// bytesPerToken is how long a token is, about.
	bytesPerToken = 4
	// imageTokens is what an image costs at most with the usual providers, about.
	imageTokens = 1500
	// usualAnswer is how many tokens an answer is taken for whose request does not bound them.
	usualAnswer = 1000
	// mostAnswer bounds what is held for an answer because its request lets it be so long.
	mostAnswer = 8 << 10
	// mostAnswers is how many answers OpenAI's API gives at once.
	mostAnswers = 128
	// usualEvent is the length up to which an event of a stream is about a token.
	usualEvent = 400
)

// estimate is the usage of a request whose provider has not told it: the prompt by its length, the answer by what was counted
// of it.
func (c *plainChat) estimate(completion int) *openai.Usage {
	prompt := promptTokens(c.text)
	return &openai.Usage{PromptTokens: prompt, CompletionTokens: completion, TotalTokens: prompt + completion, Estimated: true}
}

// lost is the usage of a request whose answer did not arrive, though the provider may have made it; nil if it cannot be estimated.
func (c *plainChat) lost() *openai.Usage {
	if !c.api.text {
		return nil
	}
	seems := c.expected()
	return c.estimate(max(seems.answer, seems.unsaidAnswer))
}

// expected is what the request says of its use.
func (c *plainChat) expected() expected {
	seems := expected{prompt: promptTokens(c.text)}
	if c.api.path == provider.Embeddings {
		return seems
	}
	answers := c.wanted()
	seems.answer, seems.unsaidAnswer = answers*min(c.most, mostAnswer), answers*usualAnswer
	if c.most > 0 {
		seems.unsaidAnswer = 0
	}
	return seems
}

// wanted is how many answers, or images, are asked for.
func (c *plainChat) wanted() int { return min(max(c.answers, 1), mostAnswers) }

// ofQuestion is what a question to the agent says of its use.
func ofQuestion(body []byte) expected {
	return expected{prompt: promptTokens(body), unsaidAnswer: usualAnswer}
}

// count is a number that bounds something; 0 where a value is none.
func count(text []byte) int {
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

// promptTokens is about how many tokens a body has. An image is one only where a request has it: a text that looks like one is a text.
func promptTokens(body []byte) int {
	length, images := len(body), 0
	for rest := body; ; {
		before, after, found := bytes.Cut(rest, dataURL)
		end := bytes.IndexByte(after, '"')
		if !found || end < 0 {
			return length/bytesPerToken + images*imageTokens
		}
		if ofImage(before) {
			length, images = length-end, images+1
		}
		rest = after[end:]
	}
}

// ofImage tells whether what stands before a value names it as an image or a file.
func ofImage(before []byte) bool {
	key, colon := bytes.CutSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(":"))
	key = bytes.TrimRight(key, " \t\r\n")
	for _, name := range imageKeys {
		if colon && bytes.HasSuffix(key, name) {
			return true
		}
	}
	return false
}

// spoken are the names under which the events of a stream bring an answer's text.
var spoken = [][]byte{[]byte(`"content"`), []byte(`"text"`), []byte(`"delta"`), []byte(`"arguments"`), []byte(`"partial_json"`),
	[]byte(`"reasoning_content"`), []byte(`"thinking"`)}

// eventTokens is about how many tokens of an answer an event brings. Most providers send one in each, some many.
func eventTokens(event []byte) int {
	if len(event) <= usualEvent {
		return 1
	}
	length := 0
	for _, name := range spoken {
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

// stringLength is how long a JSON string is from behind its first quote.
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
