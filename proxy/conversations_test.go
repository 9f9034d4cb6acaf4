package proxy

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/conversations"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/agenttest"
)

// A conversation that is created without items is an ordinary session.
func TestConversationIsCreatedContinuedListedAndDeleted(t *testing.T) {
	model := agenttest.Serve(t, agenttest.Say("Привет."), agenttest.Say("Анна."))
	h := newHarness(t, setup{model: modelAt(t, model)})
	h.connect()
	client := h.client(h.admin)
	conversation, err := client.Conversations.New(t.Context(), conversations.ConversationNewParams{})
	must(t, err)
	for _, text := range []string{"Меня зовут Анна", "Как меня зовут?"} {
		ask := textRequest(text)
		ask.Conversation = responses.ResponseNewParamsConversationUnion{OfString: param.NewOpt(conversation.ID)}
		response, err := client.Responses.New(t.Context(), ask)
		must(t, err)
		if response.Conversation.ID != conversation.ID {
			t.Errorf("%q is answered in conversation %q, not %q", text, response.Conversation.ID, conversation.ID)
		}
	}
	if sent := string(model.Requests()[1].Raw["messages"]); !strings.Contains(sent, "Меня зовут Анна") {
		t.Errorf("the model does not get the earlier messages: %s", sent)
	}
	var session agent.Session
	if h.get("/api/v1/sessions/" + conversation.ID).into(&session); session.Title != "Меня зовут Анна" {
		t.Errorf("the session is called %q", session.Title)
	}

	pages := client.Conversations.Items.ListAutoPaging(t.Context(), conversation.ID,
		conversations.ItemListParams{Limit: openai.Int(3), Order: "asc"})
	var messages []string
	for pages.Next() {
		item := pages.Current()
		messages = append(messages, item.Role+": "+strings.SplitN(item.AsMessage().Content[0].Text, "\n", 2)[0])
	}
	must(t, pages.Err())
	if got := strings.Join(messages, "|"); got != "user: Меня зовут Анна|assistant: Привет.|user: Как меня зовут?|assistant: Анна." {
		t.Errorf("listed: %s", got)
	}
	last, err := client.Conversations.Items.List(t.Context(), conversation.ID, conversations.ItemListParams{Limit: openai.Int(1)})
	must(t, err)
	if len(last.Data) != 1 || !strings.HasPrefix(last.Data[0].AsMessage().Content[0].Text, "Анна.") || !last.HasMore {
		t.Errorf("the latest item: %s", last.RawJSON())
	}

	if got, err := client.Conversations.Get(t.Context(), conversation.ID); err != nil || got.CreatedAt != conversation.CreatedAt {
		t.Errorf("%+v, %v", got, err)
	}
	deleted, err := client.Conversations.Delete(t.Context(), conversation.ID)
	must(t, err)
	_, err = client.Conversations.Get(t.Context(), conversation.ID)
	if failure := (*openai.Error)(nil); !deleted.Deleted || !errors.As(err, &failure) || failure.StatusCode != http.StatusNotFound {
		t.Errorf("deleted: %v, then %v", deleted.Deleted, err)
	}
}

// Data that would not be stored is refused. It must not be dropped silently.
func TestUnsupportedConversationFieldsAreRefused(t *testing.T) {
	h := newHarness(t, setup{})
	var conversation struct{ ID string }
	h.post("/v1/conversations", "").into(&conversation)
	for body, field := range map[string]string{
		`{"items":[{"type":"message","role":"user","content":"x"}]}`: "items",
		`{"metadata":{"topic":"demo"}}`:                              "metadata",
	} {
		h.post("/v1/conversations", body).expectField(body, field)
	}
	items := "/v1/conversations/" + conversation.ID + "/items"
	if got := h.post(items, `{"items":[]}`); got.status != http.StatusBadRequest ||
		!strings.Contains(got.failure().Detail.Hint, "/v1/responses") {
		t.Errorf("adding items: %d %s", got.status, got.body)
	}
	for query, field := range map[string]string{
		"?order=up": "order", "?limit=0": "limit", "?after=msg_1": "after", "?after=msg_x_-1": "after",
	} {
		h.get(items+query).expectField(query, field)
	}
}

func TestConversationIsCreatedOncePerIdempotencyKey(t *testing.T) {
	h := newHarness(t, setup{})
	once := http.Header{"Idempotency-Key": {"talk-1"}}
	var first, again conversation
	h.do("POST", "/v1/conversations", `{}`, once).into(&first)
	repeated := h.do("POST", "/v1/conversations", `{}`, once)
	if repeated.into(&again); first.ID == "" || again.ID != first.ID || repeated.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v, then %+v", first, again)
	}
}
