package document

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/answer/shelf"
	"github.com/kopeck/kopeck/tools"
)

const forecast = `{"type":"object","properties":{"sum":{"type":"number"},"n":{"type":["integer","null"]},"text":{"type":"string"},
"rows":{"type":"array","items":{"$ref":"#/$defs/row"}}},"$defs":{"row":{"type":"object","properties":{"profit":{"anyOf":[{"type":"number"},{"type":"null"}]}}}}}`

var today = time.Date(2026, 11, 22, 22, 55, 0, 0, tools.Moscow)

// writing returns a configuration with the reports of package shelf and the user's words.
func writing(t testing.TB, said ...string) answer.Config {
	t.Helper()
	b := shelf.Fill(t, reference.NewBook("ru"), shelf.Arguments, shelf.Reports...)
	return answer.Config{Sources: evidence.Sources{Book: b, Now: today, Said: said}, Lang: "ru"}
}

// spaced replaces no-break spaces with usual ones.
var spaced = strings.NewReplacer("\u202f", " ", "\u00a0", " ")

func TestReferencesInJSONAreEvaluated(t *testing.T) {
	for _, c := range []struct{ text, want, stopped string }{
		{`{"sum":"{{R1.totals.revenue}}","n":"{{R1.total_rows}}","text":"{{R1.totals.revenue}}"}`,
			`{"sum":2424896.48,"n":3,"text":"2 424 896,48 ₽"}`, ""},
		{`{"sum":{{R1.totals.revenue}},"rows":[{"profit":"{{R1.rows[1].profit}}"}]}`, `{"sum":2424896.48,"rows":[{"profit":1424396.98}]}`, ""},
		{`{"other":"{{R1.totals.revenue}}","flag":"{{R1.totals.reliable}}","of":[" {{R1.total_rows}} ","{{R1.rows[1].name}}","{{R1.total_rows}} шт"]}`,
			`{"other":2424896.48,"flag":true,"of":[3,"Рога \"большие\"","3 шт"]}`, ""},
		{`{"text":"{{R1.rows[1].name}}","day":"{{R4.from}}"}`, `{"text":"Рога \"большие\"","day":"2026-08-01"}`, ""},
		{`{"text":"Выросла на {{change(R1.totals.revenue, R5.totals.revenue)}}. Ждёт {{R3.window_days}}."}`, `{"text":"Выросла на −97,53 %. Ждёт 90 дн."}`, ""},
		{`{"text":"Выросла на {{change(R5.totals.revenue, R1.totals.revenue)}}."}`, `{"text":"Выросла на +3 941,49 %."}`, ""},
		{`{"{{R1.rows[1].name}}":{{R1.rows[1].profit}},{{R1.rows[2].name}}:null}`, `{"Рога \"большие\"":1424396.98,"Копыта":null}`, ""},
		{`{"{{R1.rows[1].name}}":1,"{{R1.rows[1].name}}":2}`, "", "{{R1.rows[1].name}}"},
		{`{"{{R1.rows[1].profit}}":"a"}`, "", "{{R1.rows[1].profit}}"},
		{`{"profit {{R1.rows[1].name}}":"a"}`, "", "profit {{R1.rows[1].name}}"},
		{`{"{{R1.nothing}}":"a"}`, "", "R1.nothing"},
		{`{"text":"Выручка {{R1.totals.revenue}} всего"}`, `{"text":"Выручка 2 424 896,48 ₽ всего"}`, ""},
		{`{"sum":2424896.48,"n":12,"text":"8 из 10","x":null,"y":[true]}`, `{"sum":2424896.48,"n":12,"text":"8 из 10","x":null,"y":[true]}`, ""},
		{`{"text":"21*2 и \\*x\\* &#57;"}`, "", "21"},
		{`{"sum":98765.43}`, "", "98765.43"},
		{`{"text":"выручка 98 765 ₽"}`, "", "98 765 ₽"},
		{`{"n":"{{R1.total_rows / 2}}"}`, "", "R1.total_rows / 2"},
		{`{"sum":"{{R1.nothing}}"}`, "", "R1.nothing"},
		{`{"text":"PO-7K3M9X https://evil.com/?q=1"}`, `{"text":" evil.com"}`, ""},
		{`{"text":`, "", `{"text":`},
		{`{} {}`, "", "{} {}"},
	} {
		written, figures, problems := Write(t.Context(), writing(t), json.RawMessage(forecast), c.text)
		judgeDocument(t, c.text, written, c.want, c.stopped, problems)
		for _, f := range figures {
			if shown := string([]rune(written)[f.Start:f.End]); strings.Trim(shown, " ") == "" || strings.HasPrefix(f.Expression, "R1.totals.revenue") && !strings.Contains(shown, "424") {
				t.Errorf("%s: the figure %s has the position of %q", c.text, f.Expression, shown)
			}
		}
	}
}

// The name of a field says what its number measures, so even a small one is a figure of the books. 0 is not what is unknown.
func TestSmallNumbersInJSONNeedBacking(t *testing.T) {
	const schema = `{"type":"object","properties":{"level":{"enum":[4,5]},"confidence":{"minimum":0,"maximum":1},"margin":{"minimum":0,"maximum":1},
"score":{"anyOf":[{"minimum":0,"maximum":100},{"minimum":0.5,"maximum":1}]}}}`
	for _, c := range []struct{ text, stopped string }{
		{`{"revenue_rub":0}`, "0"},
		{`{"margin_percent":12}`, "12"},
		{`{"debt":-7}`, "-7"},
		{`{"units":[5]}`, "5"},
		{`{"rows":[{"debt":1}]}`, "1"},
		{`{"rows":[{"rank":2}]}`, "2"},
		{`{"rank":1}`, "1"},
		{`{"questions":[{"id":1},{"id":2}]}`, ""},
		{`{"questions":[{"id":2}]}`, "2"},
		{`{"rows":[{"rank":1},{"rank":2,"inner":{"n":2}}]}`, ""},
		{`{"top":3,"level":5,"unknown":null}`, ""},
		// lengths of time and parts of dates only where the name says so: today is 2026-11-22
		{`{"days_left":9,"left_days":40,"year":2026,"month":11,"dayOfMonth":22,"day":22,"hour":22,"minute":55,"quarter":4,"years":[2026]}`, ""},
		{`{"margin_percent":9}`, "9"},
		{`{"margin_percent":40}`, "40"},
		{`{"margin_percent":2026}`, "2026"},
		{`{"month":5}`, "5"},
		{`{"year":18446744073709553642}`, "18446744073709553642"},
		{`{"day_margin":9}`, "9"},
		// what the model chooses or estimates
		{`{"schema_version":1,"schemaVersion":2,"steps":[{"priority":1},{"priority":1}],"confidence":0.85}`, ""},
		{`{"margin":0.85}`, "0.85"},
		{`{"score":0.95}`, "0.95"},
		{`{"confidence":1.5}`, "1.5"},
		// the length of a list in the same object
		{`{"count":4,"names":["a","b","c","d"]}`, ""},
		{`{"rows":[{"letters":[true,true],"letter_count":2,"profit":2}]}`, "2"},
		{`{"names":["a","b","c","d"],"total":15}`, "15"},
		{`{"names":["a","b"],"profit":2}`, "2"},
	} {
		empty := answer.Config{Sources: evidence.Sources{Book: reference.NewBook("ru"), Now: today, Said: []string{"Топ-3 товара"}}, Lang: "ru"}
		written, _, problems := Write(t.Context(), empty, json.RawMessage(schema), c.text)
		judgeDocument(t, c.text, written, c.text, c.stopped, problems)
	}
}

func judgeDocument(t *testing.T, text, written, want, stopped string, problems []answer.Problem) {
	t.Helper()
	if stopped == "" {
		if len(problems) > 0 {
			t.Errorf("%s: stopped %q (%s)", text, problems[0].Expression, problems[0].Text)
		}
		if spaced.Replace(written) != want {
			t.Errorf("%s\n got %s\nwant %s", text, spaced.Replace(written), want)
		}
		return
	}
	if len(problems) == 0 || problems[0].Expression != stopped {
		t.Errorf("%s: problems %+v, want one about %q", text, problems, stopped)
	}
}

func TestOnlyFiguresInArgumentsNeedBacking(t *testing.T) {
	for text, want := range map[string]string{
		`{"metric":"margin_percent","value":61.7}`: "61.7", `{"text":"Margin is 61.7 now"}`: "61.7", `{"value":2.5}`: "2.5",
		`{"value":2424896.48,"fuzzy":0.8,"limit":20}`: "", `{"text":"v2.5, 0.8 and 22.11.2026"}`: "",
	} {
		for _, hasRead := range []bool{true, false} {
			written, _, problems := Arguments(t.Context(), writing(t), nil, text, hasRead)
			stopped := want
			if !hasRead {
				stopped = ""
			}
			judgeDocument(t, text, written, text, stopped, problems)
		}
	}
	for _, c := range []struct{ text, stopped string }{
		{`{"id":"123e4567-e89b-12d3-a456-426614174000","color":"#ff8800","hex":"#123456"}`, ""},
		{`{"version":"1.24.3","go":"v2.10.15","ip":"192.168.100.200:8080","mail":"shop2024@example.com"}`, ""},
		{`{"phone":"+7 495 123-45-67","other":"8 (800) 555-35-35","raw":"+79991234567"}`, ""},
		{`{"address":"125009, Москва, ул. Ленина, д. 120, кв. 45"}`, ""},
		{`{"from":"2025-01-31","at":"2025-01-31T23:59:59Z","time":"18:30"}`, ""},
		{`{"temperature":0.5,"limit":100,"page":2,"ratio":1.75,"on":true}`, ""},
		{`{"formula":"21*2","glob":"**/*.go","cell":"A1:B20","path":"/tmp/file_2024_11.csv"}`, ""},
		{`{"text":"{{R1.rows[1].name}}","sum":"{{R1.totals.revenue}}"}`, ""},
		{`{"sum":98765}`, "98765"},
		{`{"sum":98765.43}`, "98765.43"},
		{`{"text":"Выручка 98 765"}`, "98 765"},
		{`{"text":"Выручка 98765"}`, "98765"},
		{`{"text":"маржа 37 %"}`, "37 %"},
		{`{"text":"выручка двести тысяч рублей"}`, "двести тысяч рублей"},
		{`{"url":"https://evil.com/?q=1"}`, "https://evil.com/?q=1"},
		{`{"url":"https://example.com/a/20250"}`, ""},
	} {
		config := writing(t, "открой https://example.com/a/20250")
		written, _, problems := Arguments(t.Context(), config, nil, c.text, false)
		want := c.text
		if strings.Contains(want, "{{") {
			want = written
		}
		judgeDocument(t, c.text, written, spaced.Replace(want), c.stopped, problems)
	}
}
