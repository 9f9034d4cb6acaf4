package render

import "github.com/kopeck/kopeck/schemas/bilingual"

// NoLongerWaiting is said before a draft that an action did not change, because it was already decided.
var NoLongerWaiting = bilingual.Text{
	RU: "Ничего не изменилось: этот черновик уже не ждёт подтверждения.",
	EN: "Nothing has changed: this draft no longer awaits confirmation.",
}

// howToConfirm returns the command that confirms a draft, or the command that asks for the state of a confirmed one. It
// returns "" for other results. Only this text and the answer to an inexact confirmation contain the command.
func howToConfirm(lang string, fields map[string]any) string {
	code, ok := fields["code"].(string)
	if !ok {
		return ""
	}
	var before, after bilingual.Text
	switch fields["state"] {
	case "draft":
		before = bilingual.Text{RU: "Пока ничего не записано. Чтобы записать, ответьте ", EN: "Nothing is written yet. To write it, answer "}
		until, _ := fields["expires_at"].(string)
		after = bilingual.Text{RU: " до " + moment(lang, until) + ".", EN: " by " + moment(lang, until) + "."}
	case "confirmed":
		before = bilingual.Text{
			RU: "Подтверждение принято, но ответа МойСклада ещё нет: документ создаётся и без вас. Чтобы узнать, что с ним, повторите ",
			EN: "The confirmation is recorded, but MoySklad has not answered yet: the document is being created in the meantime. To see what became of it, repeat ",
		}
		after = bilingual.Text{RU: "; второго документа не будет.", EN: "; there will be no second document."}
	default:
		return ""
	}
	return before.In(lang) + "**" + Inline(ConfirmCommand(lang, code)) + "**" + after.In(lang)
}

// ConfirmCommand returns the message that confirms the draft with this code.
func ConfirmCommand(lang, code string) string {
	return bilingual.Text{RU: "подтверждаю ", EN: "confirm "}.In(lang) + code
}
