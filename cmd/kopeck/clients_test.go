package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/shopspring/decimal"
)

// exchange is one question, streamed or not.
type exchange struct {
	question string
	stream   bool
}

func (e exchange) String() string {
	return fmt.Sprintf("%q, %s", e.question, map[bool]string{false: "whole", true: "streamed"}[e.stream])
}

// askOne sends a question with the official Go client and returns the answer.
func askOne(t *testing.T, d running, e exchange) (string, error) {
	client := openai.NewClient(option.WithBaseURL(d.url+"/v1"), option.WithAPIKey(d.secret), option.WithMaxRetries(0))
	request := openai.ChatCompletionNewParams{
		Model: "kopeck", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(e.question)},
	}
	if !e.stream {
		whole, err := client.Chat.Completions.New(t.Context(), request)
		if err != nil {
			return "", err
		}
		return whole.Choices[0].Message.Content, nil
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), request)
	defer stream.Close()
	var folded openai.ChatCompletionAccumulator
	for stream.Next() {
		if !folded.AddChunk(stream.Current()) {
			return "", fmt.Errorf("the chunks do not fold into an answer")
		}
	}
	if stream.Err() != nil || len(folded.Choices) == 0 {
		return "", fmt.Errorf("streamed %d choices: %w", len(folded.Choices), stream.Err())
	}
	if folded.Choices[0].FinishReason != "stop" {
		return "", fmt.Errorf("finish_reason %q", folded.Choices[0].FinishReason)
	}
	return folded.Choices[0].Message.Content, nil
}

// inConformance returns a command that runs a Node script in the folder where the official client is installed.
func inConformance(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat(filepath.Join("conformance", "node_modules", "openai")); err != nil {
		t.Fatal("the official client for Node is not installed: run npm ci in cmd/kopeck/conformance")
	}
	node := exec.CommandContext(t.Context(), "node", script)
	node.Dir = "conformance"
	node.Stderr = nil
	return node
}

// number matches a number in the form of either language, with or without separators and a fraction.
var number = regexp.MustCompile(`\d+(?:[\x{a0}\x{202f}]\d{3})*(?:,\d{3})*(?:[.,]\d+)?`)

var englishGroups = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d+)?$`)

// figuresOf returns the numbers in a text, without their signs.
func figuresOf(text string) []decimal.Decimal {
	var figures []decimal.Decimal
	for _, found := range number.FindAllString(text, -1) {
		plain := strings.NewReplacer("\u00a0", "", "\u202f", "").Replace(found)
		if englishGroups.MatchString(plain) {
			plain = strings.ReplaceAll(plain, ",", "")
		}
		if figure, err := decimal.NewFromString(strings.Replace(plain, ",", ".", 1)); err == nil {
			figures = append(figures, figure)
		}
	}
	return figures
}
