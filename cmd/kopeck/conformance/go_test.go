package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// goCases has what the test cases for the official Go client need.
type goCases struct {
	openai.Client
	serviceAccess
	offline openai.Client
	model   *model
}

func client(p serviceAccess, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(p.url + "/v1"), option.WithAPIKey(p.key), option.WithMaxRetries(0)}, options...)...)
}

func runGoCases(t *testing.T, service, offline serviceAccess, scripted *model, seen *table) {
	g := goCases{client(service), service, client(offline), scripted}
	for _, c := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"a whole answer, with usage", g.whole},
		{"a streamed answer, with usage", g.streamed},
		{"the client's call comes back, its result goes on", g.tools},
		{"parallel calls, streamed", g.parallel},
		{"response_format with a JSON schema", g.format},
		{"stop, limit, several parts", g.limits},
		{"a client that leaves ends the model's request", g.leaving},
		{"a retry joins the first try", g.retry},
		{"errors have their status, our message and our code", g.failures},
		{"models", g.models},
		{"responses: whole, streamed, going on", g.responses},
		{"the offline model answers from the books, whole and streamed", g.books},
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		r := row{Client: "openai-go", Case: c.name}
		if err := c.run(ctx); err != nil {
			r.Problem = err.Error()
		}
		cancel()
		r.MS = time.Since(began).Milliseconds()
		seen.add(r)
	}
}

func chat(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "kopeck", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

var doorTool = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
	Name: "open_door", Parameters: shared.FunctionParameters{"type": "object"},
})}

// fold reads a stream to its end and returns the whole answer.
func fold(ctx context.Context, c openai.Client, asked openai.ChatCompletionNewParams) (*openai.ChatCompletionAccumulator, error) {
	stream := c.Chat.Completions.NewStreaming(ctx, asked)
	defer stream.Close()
	sum := &openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !sum.AddChunk(stream.Current()) {
			return nil, fmt.Errorf("cannot add %s", stream.Current().RawJSON())
		}
	}
	return sum, stream.Err()
}

func must(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (g goCases) whole(ctx context.Context) error {
	got, err := g.Chat.Completions.New(ctx, chat("say Готово."))
	if err != nil {
		return err
	}
	return must(answerText(got.Choices[0].Message.Content) == "Готово." && got.Usage.TotalTokens == 15 && got.Choices[0].FinishReason == "stop", "%s", got.RawJSON())
}

func (g goCases) streamed(ctx context.Context) error {
	asked := chat("say Раз. Два.")
	asked.StreamOptions.IncludeUsage = openai.Bool(true)
	got, err := fold(ctx, g.Client, asked)
	if err != nil {
		return err
	}
	return must(answerText(got.Choices[0].Message.Content) == "Раз. Два." && got.Usage.TotalTokens == 15, "%+v", got.Choices)
}

func (g goCases) tools(ctx context.Context) error {
	asked := chat("both")
	asked.Tools = doorTool
	one, err := g.Chat.Completions.New(ctx, asked)
	if err != nil {
		return err
	}
	calls := one.Choices[0].Message.ToolCalls
	if len(calls) != 1 || one.Choices[0].FinishReason != "tool_calls" {
		return fmt.Errorf("%s", one.RawJSON())
	}
	asked.Messages = append(asked.Messages, one.Choices[0].Message.ToParam(), openai.ToolMessage(`{"code":4711}`, calls[0].ID))
	two, err := g.Chat.Completions.New(ctx, asked)
	if err != nil {
		return err
	}
	return must(answerText(two.Choices[0].Message.Content) == "Код 4711.", "%s", two.RawJSON())
}

func (g goCases) parallel(ctx context.Context) error {
	asked := chat("doors")
	asked.Tools = doorTool
	got, err := fold(ctx, g.Client, asked)
	if err != nil {
		return err
	}
	calls := got.Choices[0].Message.ToolCalls
	return must(len(calls) == 2 && calls[1].Function.Arguments == `{"n":2}`, "%+v", calls)
}

func (g goCases) format(ctx context.Context) error {
	schema := map[string]any{"type": "object", "properties": map[string]any{"verdict": map[string]any{"type": "string"}}, "required": []string{"verdict"}}
	with := func(text string) (*openai.ChatCompletion, error) {
		asked := chat(text)
		asked.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "v", Schema: schema}}
		return g.Chat.Completions.New(ctx, asked)
	}
	right, err := with("json")
	if err != nil {
		return err
	}
	wrong, err := with("lie json")
	if err != nil {
		return err
	}
	var read struct{ Verdict string }
	err = json.Unmarshal([]byte(right.Choices[0].Message.Content), &read)
	return errors.Join(err, must(read.Verdict == "да" && wrong.Choices[0].Message.Refusal != "", "%s %s", right.RawJSON(), wrong.RawJSON()))
}

func (g goCases) limits(ctx context.Context) error {
	asked := chat("")
	asked.Messages[0] = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("say Раз. Два. Три.")})
	asked.Stop.OfStringArray = []string{"Три"}
	stopped, err := g.Chat.Completions.New(ctx, asked)
	if err != nil {
		return err
	}
	asked = chat("cut")
	asked.MaxCompletionTokens = openai.Int(50)
	cut, err := g.Chat.Completions.New(ctx, asked)
	if err != nil {
		return err
	}
	return must(strings.TrimSpace(stopped.Choices[0].Message.Content) == "Раз. Два." && cut.Choices[0].FinishReason == "length", "%s %s", stopped.RawJSON(), cut.RawJSON())
}

func (g goCases) leaving(ctx context.Context) error {
	staying, leave := context.WithCancel(ctx)
	defer leave()
	const message = "hang #go"
	stream := g.Chat.Completions.NewStreaming(staying, chat(message))
	defer stream.Close()
	for stream.Next() && stream.Current().Choices[0].Delta.Content == "" {
	}
	leave()
	return must(g.model.waitFor(ctx, event{"left", message}), "the request to the model continues after the client disconnected")
}

func (g goCases) retry(ctx context.Context) error {
	for way, read := range []func(context.Context, openai.Client, string) (string, error){completeText, streamedText} {
		asked := 0
		for n := 0; n < 3 && asked != 1; n++ { // the service waits only briefly for a retry, so this can fail on a busy machine
			message := fmt.Sprintf("slow #go-%d-%d", way, n)
			patient := client(g.serviceAccess, option.WithMaxRetries(1), option.WithHTTPClient(&http.Client{Transport: &lossyTransport{model: g.model, message: message}}))
			text, err := read(ctx, patient, message)
			if err := errors.Join(err, must(answerText(text) == "Наконец.", "%q", text)); err != nil {
				return err
			}
			asked = len(g.model.requests(message))
		}
		if asked != 1 {
			return fmt.Errorf("the model was asked %d times", asked)
		}
	}
	return nil
}

func completeText(ctx context.Context, c openai.Client, message string) (string, error) {
	got, err := c.Chat.Completions.New(ctx, chat(message))
	if err != nil {
		return "", err
	}
	return got.Choices[0].Message.Content, nil
}

func streamedText(ctx context.Context, c openai.Client, message string) (string, error) {
	got, err := fold(ctx, c, chat(message))
	if err != nil {
		return "", err
	}
	return got.Choices[0].Message.Content, nil
}

// lossyTransport drops the connection of the first attempt after the model has begun to answer. When the client makes its
// next attempt, it lets the model continue.
type lossyTransport struct {
	model   *model
	message string
	tries   int
}

func (l *lossyTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if l.tries++; l.tries > 1 {
		l.model.signal(event{"go-on", l.message})
		return http.DefaultTransport.RoundTrip(req)
	}
	ctx, leave := context.WithCancel(req.Context())
	lost := make(chan struct{})
	go func() {
		defer close(lost)
		if res, err := http.DefaultTransport.RoundTrip(req.WithContext(ctx)); err == nil {
			_, _ = io.Copy(io.Discard, res.Body) // blocks until the connection is dropped
			res.Body.Close()
		}
	}()
	begun := l.model.waitFor(ctx, event{"begun", l.message})
	leave()
	<-lost
	return nil, fmt.Errorf("the connection was dropped; model asked: %t", begun)
}

func (g goCases) failures(ctx context.Context) error {
	ask := func(p serviceAccess, asked openai.ChatCompletionNewParams) error {
		c := client(p)
		_, err := c.Chat.Completions.New(ctx, asked)
		return err
	}
	_, broken := fold(ctx, g.Client, chat("break"))
	unknown := chat("x")
	unknown.Model = "none"
	var problems []error
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"no messages":       {ask(g.serviceAccess, openai.ChatCompletionNewParams{Model: "kopeck", Messages: []openai.ChatCompletionMessageParamUnion{}}), 400, "REQUEST_INVALID"},
		"wrong key":         {ask(serviceAccess{g.url, "sk-org-wrong"}, chat("x")), 401, "AUTH_TOKEN_INVALID"},
		"no such model":     {ask(g.serviceAccess, unknown), 404, "model_not_found"},
		"the model is away": {ask(g.serviceAccess, chat("away")), 502, "MODEL_UNAVAILABLE"},
	} {
		var apiError *openai.Error
		if !errors.As(c.err, &apiError) || apiError.StatusCode != c.status || apiError.Code != c.code || apiError.Message == "" {
			problems = append(problems, fmt.Errorf("%s: %w", name, c.err))
		}
	}
	if broken == nil || !strings.Contains(broken.Error(), "MODEL_UNAVAILABLE") {
		problems = append(problems, fmt.Errorf("an error in the middle of the stream: %w", broken))
	}
	return errors.Join(problems...)
}

func (g goCases) models(ctx context.Context) error {
	list, err := g.Models.List(ctx)
	if err != nil {
		return err
	}
	for _, m := range list.Data {
		if got, err := g.Models.Get(ctx, m.ID); err != nil || got.ID != m.ID {
			return fmt.Errorf("%s: %w", m.ID, err)
		}
	}
	return must(len(list.Data) >= 3, "%d models", len(list.Data))
}

func (g goCases) responses(ctx context.Context) error {
	asked := func(text string) responses.ResponseNewParams {
		return responses.ResponseNewParams{Model: "kopeck", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
	}
	one, err := g.Responses.New(ctx, asked("say Раз."))
	if err != nil {
		return err
	}
	next := asked("say Два.")
	next.PreviousResponseID = openai.String(one.ID)
	stream := g.Responses.NewStreaming(ctx, next)
	defer stream.Close()
	var text, completed string
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.completed":
			completed = e.Response.OutputText()
		}
	}
	return errors.Join(stream.Err(), must(answerText(one.OutputText()) == "Раз." && answerText(text) == "Два." && completed == text, "%q %q %q", one.OutputText(), text, completed))
}

func (g goCases) books(ctx context.Context) error {
	asked := chat("How much cash is there?")
	whole, err := g.offline.Chat.Completions.New(ctx, asked)
	if err != nil {
		return err
	}
	streamed, err := fold(ctx, g.offline, asked)
	if err != nil {
		return err
	}
	text := whole.Choices[0].Message.Content
	return must(strings.ContainsAny(text, "0123456789") && streamed.Choices[0].Message.Content == text, "whole %q, streamed %q", text, streamed.Choices[0].Message.Content)
}

// answerText removes the line with the sources, which the service adds to an answer.
func answerText(answer string) string {
	words, _, _ := strings.Cut(answer, "\n\nИсточники: ")
	words, _, _ = strings.Cut(words, "\n\nSources: ")
	return strings.TrimSpace(words)
}
