package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// order returns valid arguments for a purchase order.
func (h *harness) order() string {
	h.t.Helper()
	return h.orderOf(0)
}

// orderOf returns valid arguments for a purchase order of the nth product that can be ordered.
func (h *harness) orderOf(n int) string {
	h.t.Helper()
	for _, item := range h.shop.Books().Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 && !item.Archived && item.Supplier != nil && !item.Supplier.Archived {
			if n--; n >= 0 {
				continue
			}
			return fmt.Sprintf(`{"supplier":%q,"lines":[{"product":%q,"units":2,"price":10}]}`, item.Supplier.ID, item.ID)
		}
	}
	h.t.Fatal("nothing in the shop can be ordered")
	return ""
}

// The draft is made in a conversation and confirmed over REST. The model must know this when it gets the next question.
func TestModelLearnsThatADraftWasCreated(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}),
		agenttest.Say("Ready."), agenttest.Say("Yes."))
	h.server.cfg.Agent.Model = modelAt(t, model)

	first := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Order two"}]}`)
	var list struct{ Data []drafts.Draft }
	if h.get("/api/v1/drafts").into(&list); len(list.Data) != 1 || !strings.Contains(string(first.body), "confirm "+list.Data[0].Code) {
		t.Fatalf("%d drafts; the answer is %d %.500s", len(list.Data), first.status, first.body)
	}
	d := list.Data[0]
	if got := h.post("/api/v1/drafts/"+d.ID+"/confirm", `{"digest":"`+d.Digest+`"}`); got.status != http.StatusOK {
		t.Fatalf("%d %.300s", got.status, got.body)
	}
	h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Is it there?"}]}`,
		http.Header{"X-Session-Id": {first.header.Get("X-Session-Id")}})
	requests := model.Requests()
	found := false
	for _, m := range requests[len(requests)-1].Messages {
		found = found || strings.Contains(string(m.Content), d.Code+": created, document")
	}
	if !found {
		t.Error("the model does not learn that the draft was created")
	}
}

// Deciding about a draft needs no model and hardly any storage, so it works when both are used up.
func TestDraftIsDecidedWithoutBudgetOrStorage(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	order := func(n int) agenttest.Turn {
		return agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.orderOf(n)})
	}
	model := agenttest.Serve(t, order(0), agenttest.Say("Ready."), order(1), agenttest.Say("Ready."))
	h.server.cfg.Agent.Model = modelAt(t, model)
	session := http.Header{}
	say := func(words string) reply {
		return h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"`+words+`"}]}`, session)
	}
	session = http.Header{"X-Session-Id": {say("Order two").header.Get("X-Session-Id")}}
	say("Order others")
	var list struct{ Data []drafts.Draft }
	if h.get("/api/v1/drafts").into(&list); len(list.Data) != 2 {
		t.Fatalf("%d drafts", len(list.Data))
	}
	h.server.cfg.Sessions.Storage = keys.NewStorageQuota(h.db, 1)
	say("How much?").expectError("a question", http.StatusUnprocessableEntity, "STORAGE_FULL")
	say("confirm PO-AAAAAA").expectError("no draft", http.StatusUnprocessableEntity, "STORAGE_FULL")
	must(t, h.keys.SetLimits(t.Context(), operator, h.org, "", keys.Limits{TokensInAll: new(int64(0))}))
	say("How much?").expectError("a question", http.StatusTooManyRequests, "RATE_LIMITED")
	say("confirm "+list.Data[1].Code).expect("confirm", http.StatusOK)
	say("cancel").expect("cancel", http.StatusOK)
	h.get("/api/v1/drafts").into(&list)
	if list.Data[0].State != drafts.Cancelled || list.Data[1].State != drafts.Created {
		t.Errorf("the drafts are %s and %s", list.Data[0].State, list.Data[1].State)
	}
	session = http.Header{}
	say("confirm PO-AAAAAA").expectError("no session", http.StatusUnprocessableEntity, "STORAGE_FULL")
}

// A message that contains nothing else cancels the draft that it names, or else the latest waiting one.
func TestDraftIsCancelledByAMessage(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	order := func(n int) agenttest.Turn {
		return agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.orderOf(n)})
	}
	model := agenttest.Serve(t, order(0), agenttest.Say("Ready."), order(1), agenttest.Say("Ready."), agenttest.Say("No."))
	h.server.cfg.Agent.Model = modelAt(t, model)
	session := http.Header{}
	say := func(words string) string {
		got := h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"`+words+`"}]}`, session)
		session = http.Header{"X-Session-Id": {got.header.Get("X-Session-Id")}}
		return string(got.body)
	}
	states := func() (newestFirst string, list struct{ Data []drafts.Draft }) {
		h.get("/api/v1/drafts").into(&list)
		for _, d := range list.Data {
			newestFirst += string(d.State) + " "
		}
		return newestFirst, list
	}
	if answer := say("Order two"); strings.Contains(answer, "own") {
		t.Errorf("the first answer mentions another draft: %.3000s", answer)
	}
	second := say("Закажи два")
	if _, list := states(); !strings.Contains(second, "**отменить "+list.Data[1].Code+"**") ||
		strings.Contains(second, "**отменить "+list.Data[0].Code) {
		t.Errorf("the second answer does not say that the first draft still waits: %.3000s", second)
	}
	say("не отмени ли заказ")
	if got, _ := states(); got != "draft draft " {
		t.Fatalf("before any cancellation: %s", got)
	}
	if answer := say("Отмени!"); !strings.Contains(answer, "отменён") {
		t.Errorf("the answer does not say that the draft is cancelled: %.500s", answer)
	}
	got, list := states()
	if got != "cancelled draft " {
		t.Errorf("after cancelling the latest: %s", got)
	}
	if answer := say("cancel " + list.Data[1].Code); strings.Contains(answer, "Nothing has changed") {
		t.Errorf("cancelling by code: %.500s", answer)
	}
	if got, _ := states(); got != "cancelled cancelled " {
		t.Errorf("after cancelling by code: %s", got)
	}
	for _, command := range []string{"confirm ", "cancel "} {
		if answer := say(command + list.Data[1].Code); !strings.Contains(answer, "Nothing has changed") {
			t.Errorf("%s a cancelled draft: %.500s", command, answer)
		}
	}
	if answer := say("отмени"); !strings.Contains(answer, "Ничего не изменилось") || !strings.Contains(answer, list.Data[0].Code) {
		t.Errorf("without a waiting draft: %.500s", answer)
	}
}

// Text next to an image may be a caption or a question about it, so it must not confirm a draft.
func TestMessageWithAnImageNeitherConfirmsNorCancels(t *testing.T) {
	order := newHarness(t, setup{}).order() // valid in each harness, since all shops have the same data
	model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: order}), agenttest.Say("Ready."),
		agenttest.Say("A picture."), agenttest.Say("A picture."), agenttest.Say("A picture."), agenttest.Say("A picture."))
	h := newVisionHarness(t, model)
	first := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Order two"}]}`)
	session := http.Header{"X-Session-Id": {first.header.Get("X-Session-Id")}}
	waiting := func() drafts.Draft {
		t.Helper()
		var list struct{ Data []drafts.Draft }
		if h.get("/api/v1/drafts").into(&list); len(list.Data) != 1 {
			t.Fatalf("%d drafts", len(list.Data))
		}
		return list.Data[0]
	}
	code := waiting().Code
	for _, words := range []string{"confirm " + code, "cancel " + code} {
		image := `{"type":"image_url","image_url":{"url":"` + photo + `"}}`
		text := `{"type":"text","text":"` + words + `"}`
		for _, parts := range []string{text + "," + image, image + "," + text} {
			got := h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":[`+parts+`]}]}`, session)
			if d := waiting(); got.status != http.StatusOK || d.State != drafts.Drafted {
				t.Fatalf("%s: %d, the draft is %s", parts, got.status, d.State)
			}
		}
	}
	h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":[{"type":"text","text":"confirm `+code+`"}]}]}`, session)
	if d := waiting(); d.State != drafts.Created {
		t.Errorf("without an image: the draft is %s", d.State)
	}
}

// A refusal must not say that nothing was written if the document exists: the user would order it again.
func TestRefusedConfirmationSaysWhetherTheDocumentExists(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	draft := func() (d drafts.Draft) {
		var executed struct{ Result drafts.Draft }
		h.post("/api/v1/tools/draft_purchase_order/execute", `{"arguments":`+h.order()+`}`).into(&executed)
		return executed.Result
	}
	wrong := `{"digest":"` + strings.Repeat("0", 64) + `"}`
	written, waiting := draft(), draft()
	if got := h.post("/api/v1/drafts/"+written.ID+"/confirm", `{"digest":"`+written.Digest+`"}`); got.status != http.StatusOK {
		t.Fatalf("%d %.300s", got.status, got.body)
	}
	for _, c := range []struct {
		name, path, body, state, hint string
	}{
		{"a created draft with another digest", written.ID + "/confirm", wrong, "created", "in the books already"},
		{"cancelling a created draft", written.ID + "/cancel", "", "created", "in the books already"},
		{"another digest", waiting.ID + "/confirm", wrong, "draft", "with the digest that it has"},
	} {
		got := h.post("/api/v1/drafts/"+c.path, c.body)
		detail := got.failure().Detail
		if got.status != http.StatusConflict || detail.Code != "DRAFT_NOT_CONFIRMABLE" || detail.State != c.state ||
			!strings.Contains(detail.Hint, c.hint) {
			t.Errorf("%s: %d %+v", c.name, got.status, detail)
		}
	}
}

// talk begins a conversation. say sends a message to it.
func (h *harness) talk() (say func(words string) (status int, answer string)) {
	session := http.Header{}
	return func(words string) (int, string) {
		got := h.do("POST", "/v1/chat/completions", fmt.Sprintf(`{"model":"kopeck","messages":[{"role":"user","content":%q}]}`, words), session)
		if id := got.header.Get("X-Session-Id"); id != "" {
			session = http.Header{"X-Session-Id": {id}}
		}
		return got.status, string(got.body)
	}
}

// orderInChat makes a draft in a conversation, as talk begins it.
func (h *harness) orderInChat() (d drafts.Draft, say func(words string) (status int, answer string)) {
	h.t.Helper()
	model := agenttest.Serve(h.t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}), agenttest.Say("Ready."))
	h.server.cfg.Agent.Model = modelAt(h.t, model)
	say = h.talk()
	say("Order two")
	var list struct{ Data []drafts.Draft }
	if h.get("/api/v1/drafts").into(&list); len(list.Data) != 1 {
		h.t.Fatalf("%d drafts", len(list.Data))
	}
	return list.Data[0], say
}

// As long as the token is refused, the document is not written. The answer must say so, and that the draft is confirmed: the
// user would enter it by hand.
func TestConfirmationWithARefusedTokenIsAnError(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	d, say := h.orderInChat()
	h.shop.Fault(refusedToken)
	for _, words := range []string{"confirm " + d.Code, "confirm " + d.Code, "cancel " + d.Code, "cancel"} {
		if status, answer := say(words); status != http.StatusFailedDependency || !strings.Contains(answer, "The draft is confirmed") {
			t.Errorf("%s, in chat: %d %.600s", words, status, answer)
		}
	}
	got := h.post("/api/v1/drafts/"+d.ID+"/confirm", `{"digest":"`+d.Digest+`"}`)
	if detail := got.failure().Detail; detail.Code != "UPSTREAM_TOKEN_REVOKED" || !strings.Contains(detail.Hint, "The draft is confirmed") {
		t.Errorf("over REST: %d %+v", got.status, detail)
	}
}

// The answer must not deny a document that exists or is being created: the user would order it again.
func TestCancellingAConfirmedDraftSaysThatNothingChanged(t *testing.T) {
	for _, c := range []struct {
		fault            *sandbox.Fault
		english, russian string
	}{
		{nil, "written to MoySklad", "записан в МойСклад"},
		{&sandbox.Fault{Method: "POST", Path: "/entity/purchaseorder", Status: http.StatusServiceUnavailable}, "being written", "записывается"},
	} {
		h := newHarness(t, setup{})
		h.connect()
		h.server.cfg.Drafts.Patience = time.Second
		d, say := h.orderInChat()
		if c.fault != nil {
			h.shop.Fault(*c.fault)
		}
		say("confirm " + d.Code)
		for words, want := range map[string][]string{
			"cancel " + d.Code: {"Nothing has changed", c.english}, "cancel": {"Nothing has changed", c.english}, "отмени": {"Ничего не изменилось", c.russian},
		} {
			_, answer := say(words)
			for _, part := range append(want, d.Code) {
				if !strings.Contains(answer, part) {
					t.Errorf("%s: no %q in %.600s", words, part, answer)
				}
			}
		}
	}
}

// The model is not asked, since it may say that something was written.
func TestInexactConfirmationIsAnsweredWithTheExactCommand(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	d, say := h.orderInChat()
	for words, want := range map[string]string{
		"да": "Ничего не записано. Чтобы записать, ответьте ровно: подтверждаю " + d.Code, "**подтверждаю " + d.Code + "**.": "ровно: подтверждаю " + d.Code,
		"please confirm " + d.Code: "Nothing was written. To write it, answer exactly: confirm " + d.Code,
	} {
		if status, answer := say(words); status != http.StatusOK || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %.600s", words, status, answer)
		}
	}
	if n := len(h.shop.Log().To("POST", "/entity/purchaseorder")); n != 0 {
		t.Errorf("%d orders were written", n)
	}
	if _, answer := say("confirm " + d.Code); !strings.Contains(answer, "written to MoySklad") {
		t.Errorf("the exact command: %.600s", answer)
	}
}

// The tool refuses a line whose card has no purchase price. The next number is that price, and the draft can be changed after it.
func TestPriceThatAnOrderLacksIsTheNextNumber(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	h.server.cfg.Agent.Model = offline.New(time.Now)
	var bare, priced *sandbox.Item
	for _, item := range h.shop.Books().Assortment {
		switch orders := item.Kind == "product" && len(item.Variants) == 0 && !item.Archived && item.Supplier != nil && !item.Supplier.Archived; {
		case orders && item.BuyPrice == 0:
			bare = item
		case orders:
			priced = item
		}
	}
	say := h.talk()
	for _, step := range []struct{ words, want string }{
		{fmt.Sprintf("order 3 %s and 2 %s from %s", priced.Name, bare.Name, priced.Supplier.Name), "has no purchase price"},
		{"120 roubles", "| 2 | RUB\u00a0120.00 | set in the draft"},
		{"нет, 5 " + bare.Name, "| 5 | 120,00\u00a0₽ | "},
		{bare.Name + " по 7", "| 7 | 120,00\u00a0₽ | "}, // no price of 7 roubles
		{bare.Name + " не надо", "Единиц: 3"},
		{"looks good, do it", "Nothing was written. To write it, answer exactly: confirm PO-"},
	} {
		if _, answer := say(step.words); !strings.Contains(answer, step.want) {
			t.Errorf("%s: %.900s", step.words, answer)
		}
	}
	if n := len(h.shop.Log().To("POST", "/entity/purchaseorder")); n != 0 {
		t.Errorf("%d orders were written", n)
	}
}

// The answer says so and gives the command of the draft that waits. The offline model would look for goods with such a name.
func TestConfirmationOfAnotherCodeNamesTheWaitingDraft(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	d, say := h.orderInChat()
	h.server.cfg.Agent.Model = offline.New(time.Now)
	for words, want := range map[string][]string{
		"confirm PO-000000":      {"No draft with this code is waiting", "one that is waiting, answer exactly: confirm " + d.Code},
		"Confirm, PO-ABCDE!":     {"No draft with this code is waiting", "one that is waiting, answer exactly: confirm " + d.Code},
		"подтверждаю PO000000":   {"Черновик с таким кодом в этой беседе не ждёт подтверждения", "ответьте ровно: подтверждаю " + d.Code},
		"подтверждаю, TR-000000": {"Черновик с таким кодом в этой беседе не ждёт подтверждения", "ответьте ровно: подтверждаю " + d.Code},
	} {
		status, answer := say(words)
		for _, part := range want {
			if status != http.StatusOK || !strings.Contains(answer, part) {
				t.Errorf("%s: %d, no %q in %.600s", words, status, part, answer)
			}
		}
	}
	say("confirm " + d.Code)
	for words, want := range map[string]string{
		"confirm PO-000000": "Nothing was written.\"", "Confirm, " + d.Code + "!": "written to MoySklad",
		"cancel PO-000000": "There is no such draft",
	} {
		if _, answer := say(words); !strings.Contains(answer, want) {
			t.Errorf("%s, after the draft was written: no %q in %.900s", words, want, answer)
		}
	}
}

// A confirmation that failed is not what the next message is about.
func TestDraftCanBeCorrectedAfterAFailedConfirmation(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	i := slices.IndexFunc(h.shop.Books().Assortment, func(i *sandbox.Item) bool {
		return i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived
	})
	item := h.shop.Books().Assortment[i]
	for _, words := range []string{"Подтверждаю, %s!", "подтверждаю PC-000000", "подтверждаю PC000000", "отмени PC-000000"} {
		say := h.talk()
		say("Поставь цену 990 на " + item.Name)
		var list struct{ Data []drafts.Draft }
		if h.get("/api/v1/drafts").into(&list); len(list.Data) == 0 {
			t.Fatal("no draft")
		}
		if strings.Contains(words, "%s") {
			words = fmt.Sprintf(words, list.Data[0].Code)
		}
		say(words)
		if _, answer := say("нет, 980"); !strings.Contains(answer, "Вот новый черновик") || !strings.Contains(answer, "980,00") {
			t.Errorf("after %q: %.900s", words, answer)
		}
	}
}

// "Raise" with a price below the old one is probably a typing error.
func TestDraftSaysThatAPriceGoesTheOtherWay(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	i := slices.IndexFunc(h.shop.Books().Assortment, func(i *sandbox.Item) bool {
		return i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived
	})
	item := h.shop.Books().Assortment[i]
	item.SalePrices[0].Value = sandbox.Rub(1000)
	for words, want := range map[string]string{
		"Подними цену на %s до 900":     "Вы просили поднять цену, а у товара «" + item.Name + "» она станет ниже. Черновик готов",
		"Lower the price of %s to 1100": "You asked to lower the price, but that of “" + item.Name + "” becomes higher. The draft is ready",
		"Подними цену на %s до 1100":    "",
		"Lower the price of %s to 900":  "",
		"Lower the price of %s by 900":  "",
		"Set the price of %s to 900":    "",
		"Raise the price of %s to 1000": "",
		"Подними цену на %s на 5 %%":    "",
		"Измени цену %s: поставь 900":   "",
	} {
		_, got := h.talk()(fmt.Sprintf(words, item.Name))
		told := strings.Contains(got, "Вы просили") || strings.Contains(got, "You asked to")
		if !strings.Contains(got, "PC-") || told != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %.900s", words, got)
		}
	}
}

// If both drafts waited, the goods could be ordered twice. The answer must not give the command of the replaced one.
func TestDraftsOfOneStepReplaceEachOther(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	var calls []agenttest.Call
	for units := range 4 {
		order := strings.Replace(h.order(), `"units":2`, fmt.Sprintf(`"units":%d`, units+1), 1)
		calls = append(calls, agenttest.Call{Tool: "draft_purchase_order", Arguments: order})
	}
	model := agenttest.Serve(t, agenttest.CallTools(calls...), agenttest.Say("Ready."))
	h.server.cfg.Agent.Model = modelAt(t, model)
	answer := string(h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"Order some"}]}`).body)
	var list struct{ Data []drafts.Draft }
	if h.get("/api/v1/drafts").into(&list); len(list.Data) != 4 {
		t.Fatalf("%d drafts", len(list.Data))
	}
	for i, d := range list.Data { // newest first
		latest := i == 0
		if (d.State == drafts.Drafted) != latest || strings.Contains(answer, "confirm "+d.Code) != latest || d.Lines[0].Units.String() != fmt.Sprint(4-i) {
			t.Errorf("draft %d is %s, for %s units", i, d.State, d.Lines[0].Units)
		}
	}
}

// The line says in which direction the price goes, whatever the user has asked for, since a model may confuse it.
func TestDraftSaysHowThePriceChanged(t *testing.T) {
	for _, c := range []struct {
		say, arguments, want string
	}{
		{"Lower it by 5%", `"change_percent":-5`, "- Price: the old one lowered by 5% (the number is yours)."}, // 949.905 is rounded up
		{"Lower it by 10%", `"change_percent":10`, "- Price: the old one raised by 10% (the number is yours)."},
		{"Сделай дешевле на 70", `"change":-70`, "- Цена: старая, сниженная на 70 (число назвали вы)."},
		{"Lower it a bit", `"change_percent":-7`, "- Price: proposed by the assistant."},
		{"Raise it by 10%", `"price":10`, "- Price: proposed by the assistant."},
		{"Raise it by 10 roubles", `"change_percent":10`, "- Price: proposed by the assistant."},
		{"Raise it to 990", `"price":990`, "- Price: named by you."},
		{"Подними цену до 990", `"change":990`, "- Цена: предложено ассистентом."},
	} {
		h := newHarness(t, setup{})
		h.connect()
		i := slices.IndexFunc(h.shop.Books().Assortment, func(i *sandbox.Item) bool {
			return i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived
		})
		item := h.shop.Books().Assortment[i]
		item.SalePrices[0].Value = sandbox.Kop(99990)
		model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_price_change",
			Arguments: fmt.Sprintf(`{"lines":[{"product":%q,%s}]}`, item.ID, c.arguments)}), agenttest.Say("Ready."))
		h.server.cfg.Agent.Model = modelAt(t, model)
		got := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"`+c.say+`"}]}`)
		if !strings.Contains(string(got.body), c.want) {
			t.Errorf("%s: no %q in %.1500s", c.say, c.want, got.body)
		}
	}
}

// A line whose price comes from the card is not one whose price the user named. What an order costs is no value at cost.
func TestDraftSaysWhichPricesAreTheUsers(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	var products []*sandbox.Item
	for _, item := range h.shop.Books().Assortment {
		if item.Stocked() && item.Parent == nil && len(item.Variants) == 0 && !item.Archived && item.Supplier != nil && !item.Supplier.Archived && item.BuyPrice > 0 {
			products = append(products, item)
		}
	}
	order := fmt.Sprintf(`{"supplier":%q,"lines":[{"product":%q,"units":16},{"product":%q,"units":20,"price":380}]}`,
		products[0].Supplier.ID, products[0].ID, products[1].ID)
	model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: order}),
		agenttest.Say(`{{table(R1.lines, "name", "money")}}`))
	h.server.cfg.Agent.Model = modelAt(t, model)
	_, got := h.talk()("Order 16 " + products[0].Name + " and 20 " + products[1].Name + " at 380 each")
	for _, want := range []string{"- Price: named by you (“" + products[1].Name + "”).", "| Product | Amount |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %.2000s", want, got)
		}
	}
}

// What has run out lacks as much as its minimum. An order takes the shortage.
func TestDraftSaysThatAQuantityIsTheShortage(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	var below struct {
		Result struct {
			Rows []struct {
				Name, Supplier string
				ID             string      `json:"product_id"`
				SupplierID     string      `json:"supplier_id"`
				Shortage       json.Number `json:"shortage"`
				Minimum        json.Number `json:"minimum"`
			}
		}
	}
	h.post("/api/v1/tools/below_minimum/execute", `{"arguments":{}}`).into(&below)
	for _, row := range below.Result.Rows {
		if row.SupplierID == "" || row.Shortage != row.Minimum {
			continue
		}
		order := fmt.Sprintf(`{"supplier":%q,"lines":[{"product":%q,"units":%s,"price":10}]}`, row.SupplierID, row.ID, row.Shortage)
		model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "below_minimum", Arguments: "{}"}),
			agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: order}), agenttest.Say("Ready."))
		h.server.cfg.Agent.Model = modelAt(t, model)
		const want = "- Quantity: from the report “Below minimum” (“Shortage”)."
		if _, got := h.talk()("Order what is short of " + row.Name); !strings.Contains(got, want) {
			t.Errorf("no %q in %.2000s", want, got)
		}
		return
	}
	t.Fatal("nothing has run out")
}

// The number of a correction is the user's, although "no, by 7" alone does not say what it is for.
func TestCorrectedDraftSaysThatTheNumberIsTheUsers(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	i := slices.IndexFunc(h.shop.Books().Assortment, func(i *sandbox.Item) bool {
		return i.Stocked() && i.Parent == nil && len(i.Variants) == 0 && !i.Archived
	})
	change := func(percent int) agenttest.Call {
		return agenttest.Call{Tool: "draft_price_change",
			Arguments: fmt.Sprintf(`{"lines":[{"product":%q,"change_percent":%d}]}`, h.shop.Books().Assortment[i].ID, percent)}
	}
	model := agenttest.Serve(t, agenttest.CallTools(change(5)), agenttest.Say("Готово."), agenttest.CallTools(change(7)), agenttest.Say("Готово."))
	h.server.cfg.Agent.Model = modelAt(t, model)
	session := http.Header{}
	for _, say := range []struct{ words, want string }{
		{"Подними цену на 5%", "- Цена: старая, повышенная на 5 % (число назвали вы)."},
		{"нет, на 7", "- Цена: старая, повышенная на 7 % (число назвали вы)."},
	} {
		got := h.do("POST", "/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"`+say.words+`"}]}`, session)
		session = http.Header{"X-Session-Id": {got.header.Get("X-Session-Id")}}
		if !strings.Contains(string(got.body), say.want) {
			t.Errorf("%s: no %q in %.1500s", say.words, say.want, got.body)
		}
	}
}

// The two of "five packs of two" is the user's number, but not the quantity that they asked for.
func TestDraftAsksToCheckANumberOfTheMessage(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	for say, want := range map[string]string{
		"Закажи 5 упаковок по 2": "- Количество: число есть в вашем сообщении, но проверьте, к чему оно относится.",
		"Order 5 packs of two":   "- Quantity: the number is in your message, but check what it refers to.",
	} {
		model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}), agenttest.Say("Ready."))
		h.server.cfg.Agent.Model = modelAt(t, model)
		got := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"user","content":"`+say+`"}]}`)
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%s: no %q in %.1500s", say, want, got.body)
		}
	}
}
