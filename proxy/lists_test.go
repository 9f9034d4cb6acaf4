package proxy

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/keys"
)

// page is what every list answers.
type listPage struct {
	Data       []json.RawMessage `json:"data"`
	NextCursor *string           `json:"next_cursor"`
}

// Contract 4: lists take a limit of 1 to 100 and a cursor, openAIAnswers they are of, and nothing else for a cursor.
func TestEveryListIsPaged(t *testing.T) {
	h := newHarness(t, setup{})
	has := h.createOneOfEach()
	h.post("/api/v1/webhooks/"+has["webhooks"]+"/test", "")
	h.post("/api/v1/webhooks/"+has["webhooks"]+"/test", "")
	_, everything, err := h.keys.CreateKey(t.Context(), operator, h.org, keys.NewKey{Name: "operator", Scopes: []keys.Scope{keys.Admin}, Operator: true})
	must(t, err)
	as := http.Header{"Authorization": {"Bearer " + everything.Reveal()}, "X-Org-Id": {h.org}}
	lists := 0
	for _, ro := range routes {
		kind := strings.Split(strings.TrimPrefix(ro.path, base+"/"), "/")[0]
		path := strings.ReplaceAll(pathFor(ro, h.org), "/none", "/"+has[kind])
		if ro.method != "GET" || !strings.HasPrefix(ro.path, base) {
			continue
		}
		var whole listPage
		got := h.do("GET", path, "", as)
		if json.Unmarshal(got.body, &whole) != nil || whole.Data == nil || !strings.Contains(string(got.body), `"next_cursor"`) {
			continue
		}
		lists++
		for _, wrong := range []string{"limit=0", "limit=101", "cursor=nonsense"} {
			refused := h.do("GET", path+"?"+wrong, "", as)
			field, _, _ := strings.Cut(wrong, "=")
			if refused.status != http.StatusBadRequest || len(refused.failure().Detail.Fields) != 1 || refused.failure().Detail.Fields[0].Field != field {
				t.Errorf("%s?%s: %d %s", path, wrong, refused.status, refused.body)
			}
		}
		var read []json.RawMessage
		for cursor := ""; len(read) <= len(whole.Data); {
			var one listPage
			h.do("GET", path+"?limit=1&cursor="+url.QueryEscape(cursor), "", as).into(&one)
			read = append(read, one.Data...)
			if len(one.Data) != min(1, len(whole.Data)) {
				t.Errorf("%s: a page of one has %d rows", path, len(one.Data))
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
				t.Errorf("%s: row %d is %s by itself and %s with the others", path, i, read[i], whole.Data[i])
			}
		}
	}
	if lists != 15 {
		t.Errorf("%d lists were read", lists)
	}
}

// A list that is read whole has numbers for cursors: none that is not one of its own, and nothing behind its end.
func TestCursorOfACompleteListIsARowNumber(t *testing.T) {
	h := newHarness(t, setup{})
	for _, cursor := range []string{"0", "-1", "1.5", "99999999999999999999"} {
		if refused := h.get("/api/v1/tools?cursor=" + cursor); refused.status != http.StatusBadRequest {
			t.Errorf("cursor %s: %d %s", cursor, refused.status, refused.body)
		}
	}
	var behind listPage
	h.get("/api/v1/tools?limit=100&cursor=9999").into(&behind)
	if behind.Data == nil || len(behind.Data) > 0 || behind.NextCursor != nil {
		t.Errorf("behind the end: %+v", behind)
	}
}
