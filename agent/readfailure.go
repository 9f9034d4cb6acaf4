package agent

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// callKey identifies calls of the same tool with the same arguments.
func callKey(call openai.ToolCall) string { return call.Function.Name + call.Function.Arguments }

// explainReadFailure returns the user's explanation of a call that could not read MoySklad, and stores it for the end
// of the answer. It returns "" if the call itself was wrong.
func (r *run) explainReadFailure(call openai.ToolCall, err error) string {
	why := readFailure(err, r.lang)
	if why == "" {
		return ""
	}
	why = fmt.Sprintf(toolText.In(r.lang), tools.ToolLabel(call.Function.Name).In(r.lang), why)
	r.readFailures[callKey(call)] = why
	return why
}

var toolText = bilingual.Text{RU: "«%s»: %s", EN: "“%s”: %s"}

// missingParts says which parts of the answer are missing, so that the answer does not look complete.
func (r *run) missingParts() string {
	var parts []string
	for _, call := range slices.Sorted(maps.Keys(r.readFailures)) {
		if why := r.readFailures[call]; !slices.Contains(parts, why) && !strings.Contains(r.shown.text.String(), why) {
			parts = append(parts, why)
		}
	}
	return strings.Join(parts, "\n\n")
}

// readFailure explains why MoySklad could not be read, or returns "" if that was not the error.
func readFailure(err error, lang string) string {
	for _, why := range []struct {
		kind  error
		words bilingual.Text
	}{
		{tools.ErrPermission, bilingual.Text{
			RU: "Роль сотрудника, чей токен подключён, этого не разрешает. Добавьте ей прав в МоёмСкладе или подключите токен другого сотрудника.",
			EN: "The role of the employee whose token is connected does not allow this. Give it more rights in MoySklad, or connect another employee's token."}},
		{tools.ErrTimeout, bilingual.Text{
			RU: "МойСклад не успел ответить за отведённое время. Сузьте вопрос или повторите его позже.",
			EN: "MoySklad did not answer in time. Narrow the question, or ask again later."}},
		{tools.ErrIncomplete, bilingual.Text{
			RU: "Данные изменились, пока мы их читали, и ответ был бы неполным. Повторите вопрос.",
			EN: "The data changed while it was being read, and the answer would be incomplete. Ask again."}},
		{tools.ErrTooLarge, bilingual.Text{
			RU: "Ответ МоегоСклада слишком велик, чтобы его прочитать. Сузьте вопрос: возьмите период короче, один склад или один товар.",
			EN: "MoySklad's answer is too large to be read. Narrow the question: ask for a shorter period, one warehouse or one product."}},
		{tools.ErrUnavailable, bilingual.Text{
			RU: "МойСклад сейчас не отвечает, повторные запросы не помогли. Задайте вопрос снова через минуту.",
			EN: "MoySklad is not answering, and retries did not help. Ask again in a minute."}},
	} {
		if errors.Is(err, why.kind) {
			return why.words.In(lang)
		}
	}
	return ""
}
