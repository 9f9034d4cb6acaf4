package skim

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBodyIsPassedOnUnchangedExceptForModelAndUsage(t *testing.T) {
	const usageOptions = `,"stream_options":{"include_usage":true}`
	for _, c := range []struct{ body, want string }{
		{`{"model":"p/m","messages":[]}`, `{"model":"NAME","messages":[]}`},
		{" { \"messages\" : [ ] ,\n\"model\" : \"p\\/m\", \"x\":1e2 } ", " { \"messages\" : [ ] ,\n\"model\" : \"NAME\", \"x\":1e2 } "},
		{`{"mod\u0065l":"p/m","n":2}`, `{"mod\u0065l":"NAME","n":2}`},
		{`{"model":"p/m","seed":12345678901234567890,"logit_bias":{"1":-1.50},"user":"\ud83d\ude00"}`,
			`{"model":"NAME","seed":12345678901234567890,"logit_bias":{"1":-1.50},"user":"\ud83d\ude00"}`},
		{`{"stream":true,"model":"p/m","a":1}`, `{"stream":true,"model":"NAME"` + usageOptions + `,"a":1}`},
		{`{"stream":true,"model":"p/m","stream_options":null}`, `{"stream":true,"model":"NAME","stream_options":{"include_usage":true}}`},
		{`{"stream_options":{},"stream":true,"model":"p/m"}`, `{"stream_options":{"include_usage":true},"stream":true,"model":"NAME"}`},
		{`{"stream_options":{"include_obfuscation":false},"stream":true,"model":"p/m"}`,
			`{"stream_options":{"include_usage":true,"include_obfuscation":false},"stream":true,"model":"NAME"}`},
		{`{"stream_options":{"include_usage":false},"stream":true,"model":"p/m"}`, `{"stream_options":{"include_usage":true},"stream":true,"model":"NAME"}`},
		{`{"stream_options":{"include_usage":true},"stream":true,"model":"p/m"}`, `{"stream_options":{"include_usage":true},"stream":true,"model":"NAME"}`},
		{`{"stream":null,"stream_options":null,"model":"p/m"}`, `{"stream":null,"stream_options":null,"model":"NAME"}`},
		{`{"messages":[{"model":"x","stream":1}],"model":"p/m"}`, `{"messages":[{"model":"x","stream":1}],"model":"NAME"}`},
	} {
		chat, err := ReadJSON([]byte(c.body), "")
		if err != nil || chat.Model != "p/m" {
			t.Errorf("%s: model %q, %v", c.body, chat.Model, err)
			continue
		}
		if got := string(bytes.Join(chat.JSONFor(`"NAME"`, false, true), nil)); got != c.want {
			t.Errorf("%s\nis sent as\n%s\nwant\n%s", c.body, got, c.want)
		}
	}
}

// For a provider that knows only max_tokens, max_completion_tokens is renamed.
func TestMaxTokensIsRenamedForOldProviders(t *testing.T) {
	for body, want := range map[string]string{
		`{"max_completion_tokens":5,"model":"p/m"}`:                `{"max_tokens":5,"model":"NAME"}`,
		`{"model":"p/m","max_completion_tokens":5,"max_tokens":4}`: `{"model":"NAME","max_completion_tokens":5,"max_tokens":4}`,
	} {
		chat, err := ReadJSON([]byte(body), "")
		if got := string(bytes.Join(chat.JSONFor(`"NAME"`, true, true), nil)); err != nil || got != want {
			t.Errorf("%s is sent as %s, %v", body, got, err)
		}
	}
}

// Parsers differ in which of two equal fields they use, and in whether they ignore case. This service and the provider must
// find the same model.
func TestAmbiguousBodyIsRefused(t *testing.T) {
	for _, body := range []string{
		`{"model":"p/m","model":"p/other"}`,
		`{"model":"p/m","mod\u0065l":"p/other"}`,
		`{"model":"p/m","MODEL":"p/other"}`,
		`{"model":"p/m","stream":true,"ſtream":false}`,
		`{"model":"p/m","stream":true,"stream":false}`,
		`{"model":"p/m","stream_options":{},"stream_options":null}`,
		`{"model":"p/m","stream_options":{"include_usage":true,"include_usage":false}}`,
	} {
		if _, err := ReadJSON([]byte(body), ""); !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestReadingABodyAllocatesIndependentlyOfItsSize(t *testing.T) {
	for _, size := range []int{100, 33_000, 1_000_000} {
		body := []byte(`{"model":"p/m","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("слово ", size/11) + `"}]}`)
		allocations := testing.AllocsPerRun(20, func() {
			chat, err := ReadJSON(body, "")
			if err != nil {
				t.Fatal(err)
			}
			chat.JSONFor(`"NAME"`, false, true)
		})
		if allocations > 16 { // the race detector empties pools at random
			t.Errorf("%d bytes: %.0f allocations", len(body), allocations)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{"model":"p/m","messages":[{"role":"user","content":"x"}],"stream":true}`,
		`{"stream_options":{ },"stream":true,"model":"p\/m"}`, `{"a":[[],{},-0.1e+5,"\u12aF\n",true,null]}`, ` {} `, `[1]`, `{"a":01}`, `{"a":"` + "\x01" + `"}`,
		`{"model":"p/m","stream":true,"stream_options":{"x":{"include_usage":1}},"max_completion_tokens":1}`, `{"a":"` + "\xff\\" + `"}`, `{"a":1,}`, `{`,
		strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000), strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		chat, err := ReadJSON(body, "")
		object := json.Valid(body) && bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
		if (err != ErrNotObject) != object { //nolint:errorlint // it is not wrapped
			t.Fatalf("%v, but valid object for encoding/json: %v", err, object)
		}
		if err != nil || chat.Model == "" {
			return
		}
		var before, after map[string]any
		if err := json.Unmarshal(body, &before); err != nil {
			t.Skip("a number that Go cannot hold")
		}
		if err := json.Unmarshal(bytes.Join(chat.JSONFor(`"NAME"`, false, true), nil), &after); err != nil {
			t.Fatalf("the provider's body is not JSON: %v", err)
		}
		if before["model"] != chat.Model || after["model"] != "NAME" {
			t.Fatalf("model %q became %q and was read as %q", before["model"], after["model"], chat.Model)
		}
		if options, _ := after["stream_options"].(map[string]any); chat.Stream && options["include_usage"] != true {
			t.Fatalf("the usage is not requested: %v", after)
		}
		for _, fields := range []map[string]any{before, after} {
			delete(fields, "model")
			if options, ok := fields["stream_options"].(map[string]any); ok {
				delete(options, "include_usage")
			}
			if options, ok := fields["stream_options"].(map[string]any); !ok || len(options) == 0 {
				delete(fields, "stream_options")
			}
		}
		if different := cmp.Diff(before, after); different != "" {
			t.Fatal(different)
		}
	})
}
