package proxy

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
)

// listOf is the body of a list.
type listOf[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// Every list takes a limit of 1 to 100 and a cursor, and refuses invalid ones.
func TestEveryListIsPaged(t *testing.T) {
	h := newHarness(t, setup{})
	ids := h.createOneOfEach()
	h.post("/api/v1/webhooks/"+ids["webhooks"]+"/test", "")
	h.post("/api/v1/webhooks/"+ids["webhooks"]+"/test", "")
	_, secret, err := h.keys.CreateKey(t.Context(), operator, h.org,
		keys.NewKey{Name: "operator", Scopes: []keys.Scope{keys.Admin}, Operator: true})
	must(t, err)
	as := http.Header{"Authorization": {"Bearer " + secret.Reveal()}, "X-Org-Id": {h.org}}
	lists := 0
	for _, ro := range routes {
		kind := strings.Split(strings.TrimPrefix(ro.path, base+"/"), "/")[0]
		path := strings.ReplaceAll(pathFor(ro, h.org), "/none", "/"+ids[kind])
		if ro.method != "GET" || !strings.HasPrefix(ro.path, base) {
			continue
		}
		var whole listOf[json.RawMessage]
		got := h.do("GET", path, "", as)
		if json.Unmarshal(got.body, &whole) != nil || whole.Data == nil || !strings.Contains(string(got.body), `"next_cursor"`) {
			continue
		}
		lists++
		for _, wrong := range []string{"limit=0", "limit=101", "cursor=nonsense"} {
			refused := h.do("GET", path+"?"+wrong, "", as)
			field, _, _ := strings.Cut(wrong, "=")
			if refused.status != http.StatusBadRequest || len(refused.failure().Detail.Fields) != 1 ||
				refused.failure().Detail.Fields[0].Field != field {
				t.Errorf("%s?%s: %d %s", path, wrong, refused.status, refused.body)
			}
		}
		var read []json.RawMessage
		for cursor := ""; len(read) <= len(whole.Data); {
			var one listOf[json.RawMessage]
			h.do("GET", path+"?limit=1&cursor="+url.QueryEscape(cursor), "", as).into(&one)
			read = append(read, one.Data...)
			if len(one.Data) != min(1, len(whole.Data)) {
				t.Errorf("%s: a page with limit 1 has %d rows", path, len(one.Data))
			}
			if one.NextCursor == nil {
				break
			}
			cursor = *one.NextCursor
		}
		if len(read) != len(whole.Data) {
			t.Errorf("%s: %d rows one by one, %d at once", path, len(read), len(whole.Data))
		}
		for i := range min(len(read), len(whole.Data)) {
			if string(read[i]) != string(whole.Data[i]) {
				t.Errorf("%s: row %d is %s on its own page and %s in the whole list", path, i, read[i], whole.Data[i])
			}
		}
	}
	if lists != 15 {
		t.Errorf("%d lists were read, want 15", lists)
	}
}

// A list that has become shorter since the cursor was given has an empty page there.
func TestCursorBeyondTheEndOfAList(t *testing.T) {
	h := newHarness(t, setup{})
	for _, cursor := range []string{"0", "-1", "1.5", "9999"} {
		if refused := h.get("/api/v1/tools?cursor=" + cursor); refused.status != http.StatusBadRequest {
			t.Errorf("cursor %s: %d %s", cursor, refused.status, refused.body)
		}
	}
	for number, rows := range map[string]int{"9999 ": 0, "-9 ": 100} {
		var page listOf[json.RawMessage]
		h.get("/api/v1/tools?limit=100&cursor=" + base64.RawURLEncoding.EncodeToString([]byte(number))).into(&page)
		if page.Data == nil || len(page.Data) > rows || page.NextCursor != nil {
			t.Errorf("cursor of %q: %+v", number, page)
		}
	}
}
