package evaluation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/kopeck/kopeck/schemas/openai"
)

// Organization is an organization of the service, about whose accounts questions are asked.
type Organization struct {
	URL string // of the service, without a path
	Key string
}

// ask sends a question like any client. If session is empty, it starts a conversation.
func (o Organization) ask(ctx context.Context, session, question string) (*openai.ChatCompletion, error) {
	body, err := json.Marshal(openai.ChatRequest{
		Model:    "kopeck",
		Messages: []openai.Message{{Role: openai.RoleUser, Content: openai.Content(question)}},
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.URL+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+o.Key)
	request.Header.Set("Content-Type", "application/json")
	if session != "" {
		request.Header.Set("X-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the service answered %s: %s", response.Status, errorText(text))
	}
	completion := &openai.ChatCompletion{}
	if err := json.Unmarshal(text, completion); err != nil || len(completion.Choices) == 0 {
		return nil, fmt.Errorf("the answer cannot be read: %.200s", text)
	}
	return completion, nil
}

func errorText(body []byte) string {
	var refused struct {
		Error struct{ Message string }
	}
	if json.Unmarshal(body, &refused) == nil && refused.Error.Message != "" {
		return refused.Error.Message
	}
	return fmt.Sprintf("%.200s", body)
}

func answerOf(completion *openai.ChatCompletion) answer {
	message := completion.Choices[0].Message
	var a answer
	if message.Content != nil {
		a.text = withoutLegend(*message.Content)
	}
	if message.Refusal != nil {
		a.text, a.refused = a.text+*message.Refusal, true
	}
	if message.Kopeck != nil {
		a.figures = message.Kopeck.Figures
	}
	return a
}
