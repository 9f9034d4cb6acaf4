package agent

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// callOf tells a call of a tool from those with other arguments.
func callOf(call openai.ToolCall) string { return call.Function.Name + call.Function.Arguments }

// notRead keeps the sentence for the user about a call that could not read the books. It is empty where the call itself was wrong.
func (r *run) notRead(call openai.ToolCall, err error) string {
	why := unread(err, r.lang)
	if why == "" {
		return ""
	}
	why = fmt.Sprintf(ofTool.In(r.lang), render.Name(r.lang, call.Function.Name), why)
	r.unread[callOf(call)] = why
	return why
}

var ofTool = bilingual.Text{RU: "«%s»: %s", EN: "“%s”: %s"}

// sayUnread says which parts of the answer are missing: without it, what could be read would pass for the whole.
func (r *run) sayUnread() error {
	for _, call := range slices.Sorted(maps.Keys(r.unread)) {
		if err := r.sayOnce(r.unread[call]); err != nil {
			return err
		}
	}
	return nil
}

// unread says in a language why the books could not be read; empty where that is not what was wrong.
func unread(err error, lang string) string {
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
