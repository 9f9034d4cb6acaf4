package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/cputest"
)

var (
	key      = "sk-org-" + strings.Repeat("aB3", 20) + "z"
	token    = strings.Repeat("0aF9", 10)
	provider = "sk-proj-Ab_1-" + strings.Repeat("x9", 20)
	signing  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-four bytes of it."))
	master   = base64.StdEncoding.EncodeToString([]byte("32 bytes that seal the tokens...")) // 43 characters and =
	login    = base64.StdEncoding.EncodeToString([]byte("admin@shop:пароль"))
	jwt      = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
)

func TestTextRedactsEveryForm(t *testing.T) {
	for text, want := range map[string]string{
		key:                                    "***",
		"my key is " + key + ".":               "my key is ***.",
		"glued" + key:                          "glued***",
		key[:40] + "…":                         "***…", // a title that was cut off
		url.QueryEscape("a=" + key):            "a%3D***",
		strings.ReplaceAll(key, "-", "%2D"):    "***",
		token:                                  "***",
		"token=" + token + "&b":                "token=***&b",
		"token%3A" + token:                     "token%3A***",
		"token_" + token:                       "token_***",
		"токен" + token:                        "токен***",
		`{"a":"x\n` + token + `"}`:             `{"a":"x\n***"}`,
		provider:                               "***",
		`"\n` + provider + `"`:                 `"\n***"`,
		"gsk_" + strings.Repeat("a1B", 10):     "***",
		signing:                                "***",
		master:                                 "***",
		"Authorization: Basic " + login:        "Authorization: ***",
		"Bearer abcdefgh-12345678":             "***",
		"bearer%20abcdefgh-12345678":           "***",
		jwt:                                    "***",
		"postgres://kopeck:pa55@db:5432/k":     "postgres://kopeck:***@db:5432/k",
		key + token + " " + signing + provider: "****** ***",
	} {
		if got := redact.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if !redact.ContainsSecret(text) {
			t.Errorf("no secret is found in %q", text)
		}
	}
}

func TestTextRedactsKeysOfLargeProviders(t *testing.T) {
	run := strings.Repeat("a1B2", 20)
	hex := strings.Repeat("0af9", 16)
	for _, secret := range []string{
		"AKIA4XQ7Z2M9K3P8R5TW", "ASIAQWERTYUIOPASDFGH", "GOCSPX-" + run[:28], "y0_AgAAAA" + run[:40],
		"ghp_" + run[:36], "gho_" + run[:36], "ghu_" + run[:36], "ghs_" + run[:36], "ghr_" + run[:36], "github_pat_" + run[:22] + "_" + run[:59],
		"glpat-abcdefghijklmnopqrst", "gldt-" + run[:20], "glrt-" + run[:20], "glptt-" + hex[:40],
		"xoxb-123456789012-123456789012-" + run[:24], "xoxp-123456789012-123456789012-" + run[:24], "xapp-1-A0123456789-123456789012-" + hex,
		"sk_live_" + run[:24], "sk_test_" + run[:24], "rk_live_" + run[:24], "rk_test_" + run[:24],
		"SG." + run[:22] + "." + run[:43], "npm_" + run[:36], "dop_v1_" + hex, "shpat_" + hex[:32],
	} {
		if got := redact.Text("Ключ: " + secret + ", вот он"); got != "Ключ: ***, вот он" {
			t.Errorf("%q becomes %q", secret, got)
		}
		if got := redact.Text(`{"a":"x\n` + secret + `"}`); got != `{"a":"x\n***"}` {
			t.Errorf("%q in JSON becomes %q", secret, got)
		}
	}
}

func TestTextKeepsWhatIsNotSecret(t *testing.T) {
	for _, text := range []string{
		"", "sk-org-", "sk-org-0123456789AB", "sk-org-0123456789AB-rotated-in-november-by-the-admin", "Send Authorization: Bearer sk-org-…",
		"0a1b2c3d-1111-2222-3333-000000000001", "8g8cUmBiiQCH3BR-4sxfs0", strings.Repeat("0aF9", 16), // a SHA-256
		strings.Repeat("1234567890", 5), strings.Repeat("1", 40) + "e12", "risk-assessment-of-the-whole-warehouse-2026",
		"Basic characterization-of-goods", "the bearer of this letter", "https://api.moysklad.ru/api/remap/1.2/entity/product?filter=name~a:b@c",
		"mail a:b@c.example", "hf_ is not one", "ASIAPACIFICCORPORATION", "AKIA-4XQ7-Z2M9-K3P8", "Asiaqwertyuiopasdfgh", "glpat-short", "npm_config_registry", "SG.12",
		"Чайник электрический «Утро»", "\xff\xfe", "eyJhbGciOiJIUzI1NiJ9.x.y",
	} {
		if got := redact.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestTextRedactsAddedSecretsInEveryEncoding(t *testing.T) {
	const secret = `kept/"by"=value`
	redact.AddSecrets(secret, "short", secret+"-longer")
	inJSON, err := json.Marshal("a " + secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, string(inJSON), "?k=" + url.QueryEscape(secret), "/" + url.PathEscape(secret)} {
		if got := redact.Text(text); strings.Contains(got, "kept") || strings.Contains(got, "value") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := redact.Text("short " + secret + "-longer"); got != "short ***" {
		t.Error(got)
	}
}

// pieces make up the random texts: secrets, beginnings of secrets, and separators.
var pieces = []string{
	key, key[:12], key[:30], token, token[:20], token + "g", provider, "sk-", "-org-", signing, "whsec_", master, master[:20], login, "Basic ", "basic%20",
	"Bearer ", "bearer", "eyJ", jwt, "a.b", "://", "a:b@", "postgres://u:p@h", "%", "%2D", "%3", `\n`, `\`, `"`, " ", "\t", "=", "+", "/", "-", "_", ".", "*", "***", `\u0073k`, `\u002d`, `\\u006b`, `\u00`,
	"0", "g", "Ключ", "é", "\xff", "1e40", strings.Repeat("7", 40),
}

func texts(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
}

func TestTextRedactsSecretsInAnyContext(t *testing.T) {
	between := rapid.SampledFrom([]string{"", " ", `"`, "\\n", "%3A", "=", "/", "_", "-", ".", ",", "Ключ", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		key, token, provider := strings.Replace(key, "aB3", "cD4", 18), strings.Replace(token, "0aF9", "7bE2", 8), strings.ReplaceAll(provider, "x9", "y8")
		text := texts(t) + " " + between.Draw(t, "before") + rapid.SampledFrom([]string{key, token, provider}).Draw(t, "secret") + between.Draw(t, "after") + " " + texts(t)
		got := redact.Text(text)
		for _, secret := range []string{key[19:], token, provider[14:]} {
			if strings.Contains(got, secret) {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
	})
}

// Escapes hide a secret from a search, but not from whoever decodes the JSON. Where they hide none, the text stays as it is.
func TestSecretsAreFoundBehindJSONEscapes(t *testing.T) {
	key, token := `s\u006B`+key[2:30]+`\u0061`+key[31:], token[:20]+`\u0030`+token[21:]
	for text, want := range map[string]string{
		`{"a":"` + key + `","b":"\u0026 \u006b"}`:          `{"a":"***","b":"\u0026 \u006b"}`,
		`["\u003c` + key + `\u003e","` + token + `"]`:      `["<***>","***"]`,
		`["\n` + token + `\u00e9\u0022"]`:                  `["\n***\u00e9\u0022"]`,
		`["s\\u006b-org-` + strings.Repeat("k", 61) + `"]`: `["s\\u006b-org-` + strings.Repeat("k", 61) + `"]`, // a backslash and letters
		`["` + strings.Repeat(`\u006b`, 60) + `"]`:         `["` + strings.Repeat(`\u006b`, 60) + `"]`,
	} {
		for name, got := range map[string]string{"Text": redact.Text(text), "OwnSecrets": string(redact.OwnSecrets([]byte(text)))} {
			if got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s: %s becomes %s, want %s", name, text, got, want)
			}
		}
	}
}

func TestTextKeepsJSONValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]any{"text": texts(t), texts(t): json.Number("1" + strings.Repeat("2", rapid.IntRange(0, 60).Draw(t, "digits")))})
		if err != nil {
			t.Fatal(err)
		}
		if got := redact.Text(string(text)); !json.Valid([]byte(got)) {
			t.Fatalf("%s becomes %s", text, got)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece)
	}
	f.Fuzz(func(t *testing.T, piece string) {
		if got := redact.Text(piece + " " + key + " " + piece); strings.Contains(got, key[19:]) {
			t.Errorf("a key is not redacted after %q: %q", piece, got)
		}
		inTime(t, piece)
	})
}

// These texts make a scanner start over again and again: one piece, or two alternating, repeated up to a megabyte. With
// -short there is only one piece, because the race detector makes this ten times slower.
func TestTextTakesLinearTime(t *testing.T) {
	for _, a := range pieces {
		inTime(t, a)
		if testing.Short() {
			continue
		}
		for _, b := range []string{"a", "+", "0aF9", "eyJ", "://", "basic ", "sk-"} {
			inTime(t, a+b)
		}
	}
	inTime(t, token+"+a+")
	inTime(t, "basic+")
	inTime(t, "eyJ-")
}

// inTime fails the test unless redacting a text of repeated pieces takes linear time.
func inTime(t *testing.T, piece string) {
	t.Helper()
	if piece == "" {
		return
	}
	cputest.RequireLinear(t, strings.Repeat(piece, 1<<20/len(piece)+1), func(text string) { redact.Text(text) })
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"books":   `{"product_id":"0a1b2c3d-1111-2222-3333-000000000001","name":"Чайник электрический «Утро»","units":12,"money":15990.5},`,
		"words":   "What is below its minimum, and in which warehouse? ",
		"russian": "Сколько денег заморожено в мёртвом остатке? ",
		"secrets": "Bearer " + token + " " + key + " ",
		"digits":  "-1",
	} {
		b.Run(name, func(b *testing.B) {
			megabyte := strings.Repeat(text, 1<<20/len(text))
			b.SetBytes(int64(len(megabyte)))
			b.ReportAllocs()
			for b.Loop() {
				redact.Text(megabyte)
			}
		})
	}
}
