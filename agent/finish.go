package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/openai"
)

// finishAnswer adds the service's own text to an answer: drafts with their commands, notes, failed reads, the legend,
// the user's numbers that no report has, that the built-in model stepped in, and the sources. It also covers results of
// earlier turns that ended in a call of the client's tools.
func (r *run) finishAnswer(ctx context.Context) error {
	due, text := r.unreportedResults(), r.shown.text.String()
	others, err := r.showDrafts(ctx, due)
	if err != nil {
		return err
	}
	if err := r.sayParagraph(others); err != nil {
		return err
	}
	if r.closed || r.shown.isJSON() { // ended by a stop sequence or a limit, or read by a program
		return nil
	}
	for _, paragraph := range []func() string{ // each depends on those before
		func() string { return r.notes(due) },
		r.missingParts,
		func() string { return r.legend(ctx) },
		r.saidLine,
		r.builtInLine,
		func() string { return r.sources(due, text) },
	} {
		if err := r.sayParagraph(paragraph()); err != nil {
			return err
		}
	}
	return nil
}

// legend explains the figures of an answer, except those of drafts, which their previews explain. A rule-based model
// needs no legend, because its words come from the reports.
func (r *run) legend(ctx context.Context) string {
	if r.byRules {
		return ""
	}
	ofDraft := func(o reference.Origin) bool { return r.isDraftTool(o.Tool) }
	explained := func(f answer.Figure) bool { return slices.ContainsFunc(f.Origins, ofDraft) }
	figures := slices.DeleteFunc(slices.Concat(r.shown.figures, r.repeated), explained)
	return answer.Legend(ctx, r.book, r.lang, r.shown.text.String(), figures, r.hasTold)
}

// hasTold reports whether an earlier answer of the conversation has a text.
func (r *run) hasTold(text string) bool {
	return slices.ContainsFunc(r.conversation.history, func(m Message) bool {
		return m.Role == openai.RoleAssistant && strings.Contains(strings.ToLower(m.Content), strings.ToLower(text))
	})
}

// saidLine lists the user's numbers that the answer repeats and no report has. A draft says itself whose its numbers are.
func (r *run) saidLine() string {
	const most = 8
	said, end := r.said, "."
	drafts := func(report *reference.Report) bool { return r.isDraftTool(report.Tool) }
	if len(said) == 0 || len(r.book.Reports()) == 0 || slices.ContainsFunc(r.newReports, drafts) {
		return ""
	}
	if len(said) > most {
		said, end = said[:most], "…"
	}
	whose := bilingual.Text{RU: " (с ваших слов): ", EN: " (your words): "}
	return render.SaidHead.In(r.lang) + whose.In(r.lang) + strings.Join(said, ", ") + end
}

// builtInLine says that the built-in model answered because the language model had failed.
func (r *run) builtInLine() string {
	if !r.answerer.BuiltInInstead() {
		return ""
	}
	return builtInAnswered.In(r.lang)
}

// unreportedResults returns the reports read for this answer.
func (r *run) unreportedResults() []*reference.Report {
	earlier := r.earlierReports[len(r.earlierReports)-min(r.conversation.unreported, len(r.earlierReports)):]
	return slices.Concat(earlier, r.newReports)
}

// shownFields lists the fields of one report whose figures an answer shows: figures of the whole report, and figures
// of only a part of its rows.
type shownFields struct{ whole, part []string }

func (r *run) shownFields() map[*reference.Report]*shownFields {
	fields := map[*reference.Report]*shownFields{}
	for _, figure := range r.shown.figures {
		for _, origin := range figure.Origins {
			report, there := r.book.Report(origin.Report)
			if !there {
				continue
			}
			if fields[report] == nil {
				fields[report] = &shownFields{}
			}
			if of := fields[report]; origin.Part || isInsideRow(report, origin.Field) {
				of.part = append(of.part, origin.Field)
			} else {
				of.whole = append(of.whole, origin.Field)
			}
		}
	}
	return fields
}

// sources names the reports of the answer and the time of the oldest one. If the user could think that something was
// written, it says that nothing was.
func (r *run) sources(due []*reference.Report, text string) string {
	shown := r.shownFields()
	var reports []*reference.Report
	drafted := time.Time{} // the oldest time of a draft's data; zero without drafts. The preview shows it.
	for _, report := range r.book.Reports() {
		switch read := slices.Contains(due, report) || shown[report] != nil; {
		case read && r.isDraftTool(report.Tool):
			if asOf := report.Result.AsOf; drafted.IsZero() || asOf.Before(drafted) {
				drafted = asOf
			}
		case read:
			reports = append(reports, report)
		}
	}
	if !drafted.IsZero() && len(reports) == 0 { // the preview of the draft names its source
		return ""
	}
	line := reference.Sources(r.lang, reports, drafted)
	if drafted.IsZero() && r.couldSeemWritten(r.conversation.question(), text) {
		line += " " + nothingWritten.In(r.lang)
	}
	return line
}

// explainFailure says why there is no answer: what was wrong with the last attempt, or that no tool fits the question.
func (r *run) explainFailure(problems []answer.Problem) string {
	if len(r.readFailures) > 0 {
		return strings.Join(slices.Compact(slices.Sorted(maps.Values(r.readFailures))), "\n\n")
	}
	if len(problems) > 0 && problems[0].Cause != emptyAnswer {
		return r.explainProblems(problems)
	}
	var wrong *check.InvalidError
	if !errors.As(r.lastFailure, &wrong) {
		return noAnswer.In(r.lang)
	}
	lines := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		problem, ok := render.Problem(r.lang, p, r.isGrounded)
		if !ok {
			return noAnswer.In(r.lang)
		}
		lines[i] = "- " + problem
	}
	return pleaseClarify.In(r.lang) + "\n\n" + strings.Join(lines, "\n")
}

// isGrounded reports whether all figures in a text of the model have a source.
func (r *run) isGrounded(text string) bool { return checkedText(r.evidence(), text) != "" }

// checkedText evaluates a whole text, or returns "" if one of its figures has no source.
func checkedText(c answer.Config, text string) string {
	c.Emit = func(answer.Piece) error { return nil }
	w := answer.NewWriter(c)
	ctx := context.Background() // no limit is needed, because without Mend the writer waits for nothing
	if w.Write(ctx, text) != nil || w.Close(ctx, false) != nil || w.Counts().Marked > 0 {
		return ""
	}
	return w.Text()
}

// explainProblems lists what was wrong with an answer in the requested form.
func (r *run) explainProblems(problems []answer.Problem) string {
	const most = 5
	lines := []string{noFormattedAnswer.In(r.lang)}
	for _, p := range problems[:min(len(problems), most)] {
		lines = append(lines, "- "+render.Inline(redact.Text(cmp.Or(p.Expression, p.Cause)))+": "+redact.Text(p.Reason(r.lang)))
	}
	return strings.Join(lines, "\n")
}

var builtInAnswered = bilingual.Text{
	RU: "Языковая модель не ответила, поэтому ответила встроенная: она понимает меньше вопросов.",
	EN: "The language model did not answer, so the built-in model did. It understands fewer questions.",
}

var noFormattedAnswer = bilingual.Text{
	RU: "Ответ в нужном виде не получился. Причины:",
	EN: "No answer in the requested form could be made. The reasons:",
}

var pleaseClarify = bilingual.Text{
	RU: "Так не получится. Уточните, пожалуйста:",
	EN: "That cannot be done as asked. Please clarify:",
}

var needsModel = bilingual.Text{
	RU: "Чтобы ответить в формате JSON или вызвать ваш инструмент, нужна языковая модель, а она не подключена. Спросите без response_format и tool_choice, " +
		"или пусть администратор подключит модель (KOPECK_MODEL).",
	EN: "Answering in JSON or calling your tool takes a language model, and none is connected. Ask without response_format and tool_choice, " +
		"or have an administrator connect a model (KOPECK_MODEL).",
}

var noAnswer = bilingual.Text{
	RU: "Не могу ответить на это по данным учёта. Спросите, например, про остатки, неснижаемые остатки, неликвид, маржу, деньги и долги.",
	EN: "I cannot answer that from the books. Ask, for instance, about stock, minimums, dead stock, margin, money and debts.",
}
