package agent

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// reportNote is a note with the report that has it.
type reportNote struct {
	text   string
	code   tools.NoteCode
	report *reference.Report
}

// notes returns the notes that the answer needs, one per line. Notes of several reports with the same text share a
// line. A note that says how a report is made is not repeated in the conversation.
func (r *run) notes(due []*reference.Report) string {
	all, required, used := r.allNotes(due)
	var codes []tools.NoteCode
	for _, note := range required {
		if !slices.Contains(codes, note.code) {
			codes = append(codes, note.code)
		}
	}
	var lines []string
	for _, code := range codes {
		other := func(n reportNote) bool { return n.code != code }
		notes := joinedNotes{lang: r.lang, notes: slices.DeleteFunc(slices.Clone(required), other)}
		everywhere := func(text, tool string) bool {
			same := 0
			for _, n := range all {
				switch {
				case n.code != code:
				case n.text != text:
					return false
				case n.report.Tool == tool:
					same++
				}
			}
			return same == used[tool]
		}
		for _, line := range notes.lines(everywhere) {
			isTold := code.Once() && r.hasTold(line)
			if !isTold && !slices.Contains(lines, line) && !strings.Contains(r.shown.text.String(), line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	mark, text := "- ", strings.TrimRight(r.shown.text.String(), "\n ")
	if strings.HasPrefix(text[strings.LastIndexByte(text, '\n')+1:], mark) {
		mark = "* " // another mark begins another list
	}
	return mark + strings.Join(lines, "\n"+mark)
}

// allNotes returns all notes of the answer's reports, the notes that the answer needs, and the number of reports of
// each tool. It leaves out drafts, because their previews contain their notes.
func (r *run) allNotes(due []*reference.Report) (all, required []reportNote, used map[string]int) {
	fields := r.shownFields()
	used = map[string]int{}
	for _, report := range r.book.Reports() {
		if r.isDraftTool(report.Tool) || !slices.Contains(due, report) && fields[report] == nil {
			continue
		}
		used[report.Tool]++
		of := shownFields{}
		if fields[report] != nil {
			of = *fields[report]
		}
		for _, note := range report.Result.Notes {
			isRequired := note.RequiredWith(of.whole, of.part)
			note = note.Beside(slices.Concat(of.whole, of.part))
			if rows := r.rowsOf(note.Code, report); isRequired && len(rows) > 0 {
				note, isRequired = rows.note(note, r.book, r.lang)
			} else if isRequired {
				note, isRequired = r.noteOfRow(note, report)
			}
			one := reportNote{render.Note(r.lang, note), note.Code, report}
			all = append(all, one)
			if isRequired {
				required = append(required, one)
			}
		}
	}
	return all, required, used
}

// joinedNotes are notes of one code.
type joinedNotes struct {
	lang  string
	notes []reportNote
}

// lines writes the notes. A note names its report if another report of the same tool lacks the note, or if another report has other
// figures in it. Notes that differ in only one figure become one sentence with all the figures.
func (j *joinedNotes) lines(everywhere func(text, tool string) bool) []string {
	var texts []string
	var reports []*reference.Report
	of := map[string][]*reference.Report{}
	for _, n := range j.notes {
		if of[n.text] == nil {
			texts = append(texts, n.text)
		}
		of[n.text] = append(of[n.text], n.report)
		if !slices.Contains(reports, n.report) {
			reports = append(reports, n.report)
		}
	}
	if len(texts) > 1 && len(reports) == len(j.notes) {
		var among []string
		for _, text := range texts {
			among = append(among, reference.Names(j.lang, of[text], reports))
		}
		if line, ok := joined(texts, among, bilingual.Text{RU: " и ", EN: " and "}.In(j.lang)); ok {
			return []string{line}
		}
	}
	var lines []string
	for _, text := range texts {
		if len(reports) == 1 && everywhere(text, reports[0].Tool) || len(texts) == 1 && everywhere(text, of[text][0].Tool) {
			lines = append(lines, text)
			continue
		}
		lines = append(lines, bilingual.Capital(reference.Names(j.lang, of[text], reports))+": "+bilingual.Small(text))
	}
	return lines
}

// joined merges texts that differ in only one figure. Each figure is followed by the name of its report in
// parentheses, which of contains.
func joined(texts, of []string, and string) (text string, ok bool) {
	words := make([][]string, len(texts))
	for i, text := range texts {
		words[i] = strings.Fields(text)
	}
	same := func(at func(words []string) string) bool {
		first := at(words[0])
		return first != "" && !slices.ContainsFunc(words[1:], func(w []string) bool { return at(w) != first })
	}
	before, after := 0, 0
	for same(func(w []string) string { return wordAt(w, before) }) {
		before++
	}
	for same(func(w []string) string { return wordAt(w[before:], len(w)-before-1-after) }) {
		after++
	}
	whole := words[0]
	behind := strings.Join(whole[len(whole)-after:], " ")
	rest, percent := strings.CutPrefix(behind, "% ")
	end := ""
	parts := make([]string, len(texts))
	for i, w := range words {
		if len(w)-after-before != 1 {
			return "", false
		}
		figure := strings.TrimRight(w[before], ".,;:")
		end = w[before][len(figure):]
		if percent {
			figure += "\u00a0%"
		}
		parts[i] = figure + " (" + of[i] + ")"
	}
	if percent {
		behind = rest
	}
	list := strings.Join(parts[:len(parts)-1], ", ") + and + parts[len(parts)-1] + end
	return strings.TrimSpace(strings.Join(whole[:before], " ") + " " + list + " " + behind), true
}

func wordAt(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}
