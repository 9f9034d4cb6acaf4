package proxy

import (
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/models"
)

const photo = "data:image/png;base64,iVBORw0KGgo="

// newVisionHarness returns a connected harness whose agent has a vision model.
func newVisionHarness(t *testing.T, model *agenttest.Server) *harness {
	t.Helper()
	h := newHarness(t, setup{model: modelAt(t, model), config: withModel(t, "seeing")})
	h.connect()
	return h
}

func withModel(t *testing.T, name string) func(*Config) {
	return func(c *Config) { c.Models, c.AgentModel = seeingAndBlind(t), name }
}

func seeingAndBlind(t *testing.T) *models.Registry {
	t.Helper()
	set, err := models.Parse([]byte("providers: {p: {kind: ollama}}\nmodels: {seeing: {routes: [{provider: p, model: x}]}, "+
		"blind: {routes: [{provider: p, model: y}], can: {vision: false}}}"), func(string) string { return "" }, provider.Settings{}, nil)
	must(t, err)
	return models.Fixed(set)
}

// The agent accepts images, unless the models file says that its model cannot read them.
func TestAgentAcceptsImagesOfItsModel(t *testing.T) {
	for usual, sees := range map[string]map[string]bool{
		"seeing":  {"kopeck": true, "kopeck-agent": true, "kopeck/blind": false, "kopeck/seeing": true, "kopeck/none": false},
		"blind":   {"kopeck": false, "kopeck-agent": false, "kopeck/seeing": true},
		"offline": {"kopeck": false, "kopeck/seeing": true},
	} {
		s := &Server{cfg: Config{Models: seeingAndBlind(t), AgentModel: usual}}
		for name, want := range sees {
			if s.readsImages(name) != want {
				t.Errorf("over %s, %s sees: %v", usual, name, !want)
			}
		}
	}
}

// Images reach the agent's model unchanged, even as part of the history of a later question.
func TestImagesReachAVisionModel(t *testing.T) {
	model := agenttest.Serve(t, agenttest.Say("Это чай."), agenttest.Say("Зелёный."), agenttest.Say("Это чай."))
	h := newVisionHarness(t, model)
	client := h.client(h.admin)
	first := openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("Что это?"),
		openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: photo, Detail: "low"})})
	ask := openai.ChatCompletionNewParams{Model: "kopeck", Messages: []openai.ChatCompletionMessageParamUnion{first}}
	answer, err := client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	ask.Messages = append(ask.Messages, answer.Choices[0].Message.ToParam(), openai.UserMessage("Какой?"))
	_, err = client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	_, err = client.Responses.New(t.Context(),
		itemsRequest(responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam{
			{OfInputImage: &responses.ResponseInputImageParam{ImageURL: openai.String(photo), Detail: "low"}}}, responses.EasyInputMessageRoleUser)))
	must(t, err)
	const image = `{"type":"image_url","image_url":{"url":"` + photo + `","detail":"low"}}`
	for i, want := range []string{`[{"type":"text","text":"Что это?"},` + image + `]`, `[{"type":"text","text":"Что это?"},` + image + `]`, `[` + image + `]`} {
		if sent := string(model.Requests()[i].Raw["messages"]); !strings.Contains(sent, want) {
			t.Errorf("question %d: the model got %s", i+1, sent[max(0, len(sent)-600):])
		}
	}
}

// The error names the part of the message.
func TestImagesThatNoModelReadsAreRefused(t *testing.T) {
	model := agenttest.Serve(t, agenttest.Say("Это чай."))
	h := newVisionHarness(t, model)
	const image = `{"type":"image_url","image_url":{"url":"` + photo + `"}}`
	blind := newHarness(t, setup{config: withModel(t, "blind")})
	body := `{"model":"kopeck-agent","messages":[{"role":"user","content":[{"type":"text","text":"x"},` + image + `]}]}`
	blind.post("/v1/chat/completions", body).expectField(body, "messages.0.content.1.type")
	for body, field := range map[string]string{
		`{"messages":[{"role":"user","content":"x"},{"role":"system","content":[` + image + `]}]}`:                  "messages.1.content.0.type",
		`{"messages":[{"role":"tool","tool_call_id":"1","content":[` + image + `]},{"role":"user","content":"x"}]}`: "messages.0.content.0.type",
		`{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`:                                           "messages.0.content.0.image_url",
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]}`:  "messages.0.content.0.image_url",
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://10.0.0.1/"}}]}]}`:    "messages.0.content.0.image_url",
	} {
		h.post("/v1/chat/completions", body).expectField(body, field)
	}
	const input = `{"input":[{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image",`
	for more, field := range map[string]string{
		`"file_id":"f"`: "input.0.content.1.image_url", `"image_url":"x"`: "input.0.content.1.image_url",
	} {
		h.post("/v1/responses", input+more+`}]}]}`).expectField(more, field)
	}

	// Images are not stored, so a reference to their message is refused.
	var stored responses.Response
	h.post("/v1/responses", input+`"image_url":"`+photo+`"}]}]}`).into(&stored)
	itemID, err := h.firstInputItem(stored.ID)
	must(t, err)
	h.post("/v1/responses", `{"input":[{"type":"item_reference","id":"`+itemID+`"},{"role":"user","content":"?"}]}`).expectField("a reference to an image", "input.0.content.1.image_url")
}

// firstInputItem returns the id of the first input item of a stored response.
func (h *harness) firstInputItem(response string) (string, error) {
	client := h.client(h.admin)
	page, err := client.Responses.InputItems.List(h.t.Context(), response, responses.InputItemListParams{})
	if err != nil {
		return "", err
	}
	return page.Data[0].ID, nil
}
