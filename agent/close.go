package agent

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// close says what the service itself adds to an answer: drafts with the words that confirm them, notes, what could not be
// read, and sources. It also adds what earlier turns still owe because they ended
// in a call of the client's tools.
func (r *run) close() error {
	due := r.due()
	if err := r.showDrafts(due); err != nil {
		return err
	}
	others, err := r.othersWait(due)
	if err != nil {
		return err
	}
	if err := r.sayApart(others); err != nil {
		return err
	}
	if r.ended || r.read.isJSON() { // by a stop or a limit, or a program reads it
		return nil
	}
	if err := r.sayApart(r.notes(due)); err != nil {
		return err
	}
	if err := r.sayUnread(); err != nil {
		return err
	}
	return r.sayApart(r.sources(due))
}

// due are the reports that were read for this answer.
func (r *run) due() []*reference.Report {
	owed := r.earlier[len(r.earlier)-min(r.asked.unsaid, len(r.earlier)):]
	return slices.Concat(owed, r.results)
}

// shown are the fields of a report that an answer shows figures of: of the whole report, and of some of its rows.
type shown struct{ whole, part []string }

func (r *run) shown() map[*reference.Report]*shown {
	fields := map[*reference.Report]*shown{}
	for _, figure := range r.read.figures {
		for _, origin := range figure.Origins {
			report, there := r.book.Report(origin.Report)
			if !there {
				continue
			}
			if fields[report] == nil {
				fields[report] = &shown{}
			}
			if of := fields[report]; origin.Part {
				of.part = append(of.part, origin.Field)
			} else {
				of.whole = append(of.whole, origin.Field)
			}
		}
	}
	return fields
}

// notes are the notes that belong to what the answer shows or has read, a line each.
func (r *run) notes(due []*reference.Report) string {
	fields := r.shown()
	several := map[string]map[string]bool{} // :: tool → what its reports are called
	for _, report := range r.book.Reports() {
		if slices.Contains(due, report) || fields[report] != nil {
			if several[report.Tool] == nil {
				several[report.Tool] = map[string]bool{}
			}
			several[report.Tool][report.Source(r.lang)] = true
		}
	}
	var lines []string
	for _, report := range r.book.Reports() {
		if r.drafts(report.Tool) || !slices.Contains(due, report) && fields[report] == nil {
			continue // a draft's preview has its notes
		}
		of := shown{}
		if fields[report] != nil {
			of = *fields[report]
		}
		for _, note := range report.Result.Notes {
			line := render.Note(r.lang, note)
			if len(several[report.Tool]) > 1 {
				line = bilingual.Capital(report.Source(r.lang)) + ": " + line
			}
			if note.DueWith(of.whole, of.part) && !slices.Contains(lines, line) && !strings.Contains(r.read.text.String(), line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) > 1 {
		return "- " + strings.Join(lines, "\n- ")
	}
	return strings.Join(lines, "")
}

// sources names the reports that the answer rests on, with one moment, the oldest, and says that nothing was written
// where somebody might think so.
func (r *run) sources(due []*reference.Report) string {
	shown := r.shown()
	var reports []*reference.Report
	drafted := false
	for _, report := range r.book.Reports() {
		switch read := slices.Contains(due, report) || shown[report] != nil; {
		case read && r.drafts(report.Tool):
			drafted = true
		case read:
			reports = append(reports, report)
		}
	}
	if drafted && len(reports) == 0 { // the preview says whence it is
		return ""
	}
	line := reference.Sources(r.lang, reports)
	if !drafted && (speaksOfWriting(r.asked.question()) || speaksOfWriting(r.read.text.String())) {
		line += " " + nothingWritten.In(r.lang)
	}
	return line
}

var nothingWritten = bilingual.Text{
	RU: "В учёт ничего не записано.",
	EN: "Nothing was written to the books.",
}

// Words that speak of ordering, creating, sending, paying, moving or changing something: Russian ones by their beginnings,
// English ones whole, since "orders" are mostly documents.
var (
	//go:embed writing.ru.txt
	writingStems string
	//go:embed writing.en.txt
	writingWords string
)

// speaksOfWriting tells whether the end of a text has one of these words.
func speaksOfWriting(text string) bool {
	stems, words := strings.Fields(writingStems), strings.Fields(writingWords)
	return slices.ContainsFunc(wordsIn(ending(text, mostWords)), func(word string) bool {
		return slices.Contains(words, word) || slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(word, stem) })
	})
}

// whyNot says in the service's own words why there is no answer: what was wrong with the last thing that was tried, or
// that nothing fits the question.
func (r *run) whyNot(problems []answer.Problem) string {
	if len(r.unread) > 0 {
		return strings.Join(slices.Compact(slices.Sorted(maps.Values(r.unread))), "\n\n")
	}
	if len(problems) > 0 && problems[0].Cause != emptyAnswer {
		return r.stopped(problems)
	}
	var wrong *tools.ArgumentError
	if !errors.As(r.failure, &wrong) {
		return noAnswer.In(r.lang)
	}
	lines := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		problem, ok := render.Problem(r.lang, p, r.mayRepeat)
		if !ok {
			return noAnswer.In(r.lang)
		}
		lines[i] = "- " + problem
	}
	return notSo.In(r.lang) + "\n\n" + strings.Join(lines, "\n")
}

// mayRepeat tells whether a text of the model's, such as an argument, has no figure of its own.
func (r *run) mayRepeat(text string) bool { return plainly(r.evidence(), text) != "" }

// plainly is a whole text as it may be shown; empty where a figure in it rests on nothing.
func plainly(c answer.Config, text string) string {
	c.Emit = func(answer.Piece) error { return nil }
	w := answer.NewWriter(c)
	ctx := context.Background() // nothing is waited for where nothing is mended
	if w.Write(ctx, text) != nil || w.Close(ctx, false) != nil || w.Counts().Marked > 0 {
		return ""
	}
	return w.Text()
}

// stopped says what stopped an answer that a program was to read, and what the reports have.
func (r *run) stopped(problems []answer.Problem) string {
	const most = 5
	lines := []string{noProgram.In(r.lang)}
	for _, p := range problems[:min(len(problems), most)] {
		lines = append(lines, "- "+render.Inline(redact.Text(cmp.Or(p.Expression, p.Cause)))+": "+redact.Text(p.Reason(r.lang)))
	}
	return strings.Join(lines, "\n")
}

var noProgram = bilingual.Text{
	RU: "Ответ в нужном виде не получился. Причины:",
	EN: "No answer in the requested form could be made. The reasons:",
}

var notSo = bilingual.Text{
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
