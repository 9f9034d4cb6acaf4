package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/cmd/kopeck/evaluation"
	"github.com/kopeck/kopeck/schemas/openai"
)

// The example of the documentation is a question that the offline model answers right.
func TestExampleQuestionIsAnsweredRight(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("evaluation", "README.md"))
	must(t, err)
	example := regexp.MustCompile(`(?s)\n    (\{.*?\]\}\]\})\n`).FindSubmatch(readme)
	if example == nil {
		t.Fatal("evaluation/README.md has no example of a question")
	}
	file := filepath.Join(t.TempDir(), "example.jsonl")
	must(t, os.WriteFile(file, bytes.ReplaceAll(example[1], []byte("\n"), nil), 0o600))
	report := evaluate(t, "--questions", file)
	if report.Turns != 2 || report.Classes[evaluation.Right] != report.Turns || !report.GoodEnough {
		t.Errorf("%d turns: %+v", report.Turns, report.Outcomes)
	}
}

// evaluate runs the command and decodes its JSON. The exit code says whether the model is good enough.
func evaluate(t *testing.T, args ...string) evaluation.Report {
	t.Helper()
	var out, log bytes.Buffer
	p := &program{Out: &out, Err: &log}
	code := p.Run(t.Context(), append([]string{"eval", "--json"}, args...))
	var report evaluation.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || (code == 0) != report.GoodEnough {
		t.Fatalf("exit code %d, good enough: %v, %v: %s", code, report.GoodEnough, err, log.String())
	}
	return report
}

// The offline model answers the standard questions with the figures of the books, in both languages. On some days of a month a
// question may have no answer.
func TestOfflineModelAnswersWithRightFigures(t *testing.T) {
	t.Parallel()
	questions, err := evaluation.Standard()
	must(t, err)
	turns := 0
	for _, q := range questions {
		turns += len(q.Turns)
	}
	report := evaluate(t, "--model", "offline")
	if report.Turns != turns || len(report.Outcomes) != turns || report.Classes[evaluation.Failed] != 0 {
		t.Errorf("%d turns, of which %d were asked with the outcomes %v", turns, report.Turns, report.Classes)
	}
	if right := report.Classes[evaluation.Right]; right*100 < 95*turns || report.Classes[evaluation.Wrong] != 0 {
		t.Errorf("%d of %d answers are right: %v", right, turns, report.Classes)
	}
	counted, tokens, calls := map[evaluation.Class]int{}, 0, 0
	for _, o := range report.Outcomes {
		counted[o.Class]++
		tokens, calls = tokens+o.TokensIn, calls+o.ModelCalls
		if (len(o.Why) == 0) != (o.Class == evaluation.Right) || o.Answer == "" || o.Question == "" || strings.Contains(o.Question, "{") {
			t.Errorf("%s is %s because of %v: %q", o.ID, o.Class, o.Why, o.Answer)
		}
	}
	for class, n := range report.Classes {
		if counted[class] != n {
			t.Errorf("%d answers are %s, but the report says %d", counted[class], class, n)
		}
	}
	if tokens == 0 || tokens != report.TokensIn || calls == 0 || calls != report.ModelCalls {
		t.Errorf("%d tokens and %d calls, but the report says %d and %d", tokens, calls, report.TokensIn, report.ModelCalls)
	}
}

// scriptedAnswers are the texts that the scripted model writes for each question after it has read the stock. The second
// text corrects the first.
var scriptedAnswers = map[string]struct {
	says, mends    string
	want           evaluation.Class
	mended, marked int
}{
	"right":      {says: "Worth {{R1.totals.money}}.", want: evaluation.Right},
	"other":      {says: "Worth {{R1.totals.units}}.", want: evaluation.Wrong},
	"asks":       {says: "Of which warehouse?", want: evaluation.AskedBack},
	"refuses":    {says: "I cannot say.", want: evaluation.Refused},
	"mended":     {says: "Worth {{R1.totals.worth}}.", mends: "{{R1.totals.money}}", want: evaluation.Right, mended: 1},
	"marked":     {says: "Worth {{R1.totals.worth}}.", mends: "{{R1.totals.value}}", want: evaluation.Refused, marked: 1},
	"half":       {says: "There are {{R1.totals.units}} units.", want: evaluation.Partly},
	"unanswered": {want: evaluation.Failed},
}

// scriptedModel answers with scriptedAnswers, which it finds by a word in the question.
func scriptedModel(r *agenttest.Reply) {
	var asked, last openai.Message
	for _, m := range r.Request.Messages {
		if m.Role == openai.RoleUser && asked.Role == "" {
			asked = m
		}
		last = m
	}
	name, _, _ := strings.Cut(string(asked.Content), ":")
	line := scriptedAnswers[name]
	switch {
	case line.says == "":
		agenttest.Refuse(401, nil, `{"error":{"message":"no such key"}}`)(r)
	case strings.HasPrefix(string(last.Content), "Your answer stopped"):
		agenttest.Say(line.mends)(r)
	case last.Role == openai.RoleTool:
		agenttest.Say(line.says)(r)
	default:
		agenttest.CallTools(agenttest.Call{Tool: "stock", Arguments: `{}`})(r)
	}
}

func TestProviderAnswersAreClassified(t *testing.T) {
	t.Parallel()
	model := agenttest.ServeForever(t, scriptedModel)
	var lines strings.Builder
	for name, line := range scriptedAnswers {
		show := `"stock().totals.money"`
		if line.want == evaluation.Partly {
			show += `,"stock().totals.units"`
		}
		fmt.Fprintf(&lines, `{"id":%q,"about":"script","lang":"en","turns":[{"ask":"%s: what is the stock worth?","show":[%s]}]}`+"\n", name, name, show)
	}
	file := filepath.Join(t.TempDir(), "questions.jsonl")
	must(t, os.WriteFile(file, []byte(lines.String()), 0o600))
	report := evaluate(t, "--model", "openai/scripted", "--openai-base-url", model.URL, "--openai-api-key", "scripted", "--questions", file)
	if report.Turns != len(scriptedAnswers) || report.Money != nil {
		t.Errorf("%d turns cost %v, want %d without prices", report.Turns, report.Money, len(scriptedAnswers))
	}
	if report.GoodEnough {
		t.Errorf("a model is good enough with %v", report.Classes)
	}
	if report.Causes["unknown_field"] < 2 {
		t.Errorf("the causes are %v, want unknown_field of two answers", report.Causes)
	}
	for _, o := range report.Outcomes {
		want := scriptedAnswers[o.ID]
		if o.Class != want.want || o.Mended != want.mended || o.Marked != want.marked {
			t.Errorf("%s is %s, mended %d, marked %d, want %s, %d, %d: %q (%s)",
				o.ID, o.Class, o.Mended, o.Marked, want.want, want.mended, want.marked, o.Answer, o.Why)
		}
		if o.Class == evaluation.Right && (o.TokensIn < 20 || o.ModelCalls < 2) {
			t.Errorf("%s took %d calls and %d tokens", o.ID, o.ModelCalls, o.TokensIn)
		}
	}
}
