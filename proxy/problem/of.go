package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// OfRefusedKey returns the problem for an error of [keys.Store.Verify]. An error that does not say why the key is refused
// means that the database is unavailable.
func OfRefusedKey(ctx context.Context, err error) error {
	if p := refusedKey(err); p != nil {
		return p.WithCause(err)
	}
	if ctx.Err() != nil {
		return err
	}
	return NotReady(fmt.Errorf("verify key: %w", err))
}

// refusedKey returns the problem of a refused key. [keys.Store.Verify] makes sure that only the holder of the right secret
// learns that the key has expired or was revoked or altered.
func refusedKey(err error) *Problem {
	switch {
	case errors.Is(err, keys.ErrMalformed), errors.Is(err, keys.ErrUnknown):
		return New(http.StatusUnauthorized, "AUTH_TOKEN_INVALID", "The API key is not valid.",
			"Check that it was copied whole: sk-org- and 61 letters and digits.").
			InRussian("Такого ключа нет.", "Проверьте, что он скопирован целиком: sk-org- и после него 61 знак.")
	case errors.Is(err, keys.ErrExpired):
		return New(http.StatusUnauthorized, "AUTH_TOKEN_EXPIRED", "The API key has expired.",
			"Ask an admin of the organization for a new one, or rotate it in time.").
			InRussian("Срок ключа истёк.", "Новый создаёт администратор организации.")
	case errors.Is(err, keys.ErrRevoked):
		return New(http.StatusUnauthorized, "AUTH_TOKEN_REVOKED", "The API key is revoked.",
			"Ask an admin of the organization for a new one.").
			InRussian("Ключ отозван.", "Новый создаёт администратор организации.")
	case errors.Is(err, keys.ErrAltered):
		return New(http.StatusUnauthorized, "AUTH_TOKEN_ALTERED", "The API key is refused: its record was changed in the database.",
			"Tell the operator of the service; the log names the key. An admin of the organization makes a new one.").
			InRussian("Ключ не принят: его запись изменена в базе данных.",
				"Сообщите оператору сервиса: ключ назван в журнале. Новый создаёт администратор организации.")
	}
	return nil
}

// keyProblem maps the errors of package keys.
func keyProblem(err error) *Problem {
	if p := refusedKey(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, keys.ErrNotFound):
		return missing(err, keys.ErrNotFound)
	case errors.Is(err, keys.ErrDenied):
		return Denied(
			"The key may not do this here.", "Use an admin key of that organization; for operators' keys, use an operator's key.",
		).
			InRussian("С этим ключом здесь этого сделать нельзя.",
				"Нужен ключ администратора этой организации, а для ключей операторов — ключ оператора.")
	case errors.Is(err, keys.ErrLimitsAltered):
		return New(
			http.StatusForbidden, "LIMITS_ALTERED",
			"The limits of the key or the organization were changed in the database, so models cannot be used.",
			"Tell the operator of the service to set the limits again; the log names their owner.",
		).
			InRussian("Лимиты ключа или организации изменены в базе данных, поэтому модели недоступны.",
				"Сообщите оператору сервиса: в журнале указано, чьи это лимиты. Задайте их заново.")
	case errors.Is(err, keys.ErrWrongMasterKey):
		return NotReady(err)
	}
	return nil
}

// objects are the names of objects that can be missing, as in the English errors.
var objects = map[string]string{
	"key": "ключа", "connection": "подключения", "organization": "организации", "webhook": "вебхука", "delivery": "отправки",
	"digest": "дайджеста", "draft": "черновика", "session": "беседы", "response": "ответа",
}

// missing returns NOT_FOUND for an error that wraps the sentinel.
func missing(err, sentinel error) *Problem {
	object := missingObject(err, sentinel)
	kind, id, _ := strings.Cut(object, " ")
	return NotFound("There is no "+object).
		InRussian(fmt.Sprintf("Нет %s «%s».", cmp.Or(objects[kind], "объекта"), strings.Trim(id, `"`)), "Проверьте номер или название по списку.")
}

// missingObject returns the part of a wrapped error that names the missing object. For `revoke the key: key "x": not found`
// it returns `key "x"`.
func missingObject(err, sentinel error) string {
	text := strings.TrimSuffix(err.Error(), ": "+sentinel.Error())
	before, _, _ := strings.Cut(text, `"`) // a colon inside a quoted name must not split the text
	if i := strings.LastIndex(before, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

// valueProblem maps the errors of values that are not valid.
func valueProblem(err error) *Problem {
	invalidErr, is := errors.AsType[*check.InvalidError](err)
	if !is {
		return nil
	}
	return InvalidValues(invalidErr.Problems)
}

// InvalidValues returns REQUEST_INVALID for values of fields. The valid names are in the hint instead of the message.
func InvalidValues(problems []*check.Problem) *Problem {
	fields, russianFields := make([]Field, len(problems)), make([]Field, len(problems))
	english, russian := make([]string, len(problems)), make([]string, len(problems))
	for i, p := range problems {
		fields[i], russianFields[i] = Field{p.Field, p.In("en")}, Field{p.Field, p.In("ru")}
		english[i] = p.Field + " " + p.Wrong.In("en") + p.Got("en")
		russian[i] = p.Field + ": " + p.Wrong.In("ru") + p.Got("ru")
	}
	p := Invalid(invalidMessage(english), correctFields).
		InRussian("Запрос выполнить нельзя: "+strings.Join(russian, "; ")+".", "Исправьте указанное и повторите запрос.")
	p.Detail.Fields, p.russian.fields = fields, russianFields
	if names := choicesText("en", problems); names != "" {
		p.Detail.Hint, p.russian.hint = "There are: "+names+".", "Есть: "+choicesText("ru", problems)+"."
	}
	return p
}

// choicesText lists the candidates for each argument that has any. If there are several such arguments, each list begins
// with the argument's name.
func choicesText(lang string, problems []*check.Problem) string {
	var withChoices []*check.Problem
	for _, p := range problems {
		if len(p.Choices()) > 0 {
			withChoices = append(withChoices, p)
		}
	}
	lists := make([]string, len(withChoices))
	for i, p := range withChoices {
		lists[i] = p.ChoiceList(lang)
		if len(withChoices) > 1 {
			lists[i] = p.Field + ": " + lists[i]
		}
	}
	return strings.TrimSuffix(strings.Join(lists, "; "), ".")
}

// accountProblem maps the errors of package accounts.
func accountProblem(err error) *Problem {
	var ambiguous *tools.AmbiguousError
	var failing *accounts.FailingError
	var other *accounts.OtherAccountError
	var key *accounts.KeyError
	switch {
	case errors.As(err, &ambiguous):
		return ambiguousProblem(ambiguous.Accounts)
	case errors.As(err, &failing):
		return failingProblem(failing.Connection)
	case errors.As(err, &other):
		return otherAccountProblem(other)
	case errors.As(err, &key) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return cmp.Or(refusedKey(err), NotReady(err))
	case errors.Is(err, accounts.ErrNoConnection):
		return New(http.StatusNotFound, "NOT_FOUND", "The organization has no connection to an upstream account.",
			"An admin connects one: kopeck connect, or POST /api/v1/connections.").
			InRussian("У организации нет подключения к МоемуСкладу.", "Администратор подключает его: kopeck connect, или POST /api/v1/connections.")
	case errors.Is(err, accounts.ErrNoOrganization):
		return New(http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID",
			"The upstream accepts the token but shows no organization to it.",
			"Allow the employee's role to see organizations, or use another employee's token.").
			InRussian("МойСклад принимает токен, но не показывает с ним ни одной организации.",
				"Разрешите роли сотрудника видеть организации или возьмите токен другого сотрудника.")
	case errors.Is(err, accounts.ErrTokenInvalid):
		p := New(http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID", "The upstream refuses the token.",
			"Create a new access token in MoySklad (Settings, Access tokens) for an employee whose role may use the API.").
			InRussian("МойСклад не принимает этот токен.",
				"Создайте в МоёмСкладе новый токен (Настройки, Токены) для сотрудника, роли которого разрешён доступ к API.")
		p.Detail.Upstream = upstreamErrorOf(err)
		return p
	}
	return nil
}

func otherAccountProblem(e *accounts.OtherAccountError) *Problem {
	token, ours := named(e.AccountName, e.AccountID), named(e.Connection.AccountName, e.Connection.AccountID)
	return New(http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID",
		fmt.Sprintf("The token belongs to account %s, but the connection is to account %s.", token.EN, ours.EN),
		"Replace it with a token of the connection's account, or add a connection for the other account.").
		InRussian(fmt.Sprintf("Токен принадлежит аккаунту %s, а подключение — к аккаунту %s.", token.RU, ours.RU),
			"Замените его токеном нужного аккаунта или добавьте для другого аккаунта отдельное подключение.")
}

// named returns a name in quotes with the id in brackets, or only the id if the name is unknown.
func named(name, id string) bilingual.Text {
	if name == "" {
		return bilingual.Text{RU: id, EN: id}
	}
	return bilingual.Text{RU: fmt.Sprintf("«%s» (%s)", name, id), EN: fmt.Sprintf("%q (%s)", name, id)}
}

func ambiguousProblem(candidates []tools.Candidate) *Problem {
	connections := make([]string, len(candidates)) // also in the hint, because models that use MCP see only the message and the hint
	for i, c := range candidates {
		connections[i] = fmt.Sprintf("%s (%q)", c.ConnectionID, c.Name)
	}
	p := New(http.StatusConflict, "ACCOUNT_AMBIGUOUS",
		fmt.Sprintf("The organization has connections to %d accounts, and the request names none.", len(candidates)),
		"Name one of the connections as connection_id (in chat: X-Connection-Id or metadata.connection_id): "+
			strings.Join(connections, ", ")+".").
		InRussian(fmt.Sprintf("У организации подключено аккаунтов: %d, а в запросе аккаунт не указан.", len(candidates)), "Выберите аккаунт.")
	p.Detail.Accounts = candidates
	return p
}

func failingProblem(c keys.Connection) *Problem {
	return New(http.StatusFailedDependency, "UPSTREAM_TOKEN_REVOKED",
		fmt.Sprintf("The upstream refused the token of connection %q (%s).", c.Name, c.ID),
		"Replace the token with a new one: kopeck connect --replace "+c.ID+". "+
			"If it is valid again, verify the connection: POST /api/v1/connections/"+c.ID+"/verify.").
		InRussian(
			fmt.Sprintf("МойСклад не принимает токен подключения «%s» (%s).", c.Name, c.ID),
			"Замените токен новым: kopeck connect --replace "+c.ID+". "+
				"Если он снова действует, проверьте подключение: POST /api/v1/connections/"+c.ID+"/verify.",
		)
}

// RetryWhenFree is the Retry-After of a question or a tool call that was refused. Most of them take a few seconds.
const RetryWhenFree = 2 * time.Second

// retryTest is the Retry-After of a test message that was refused. By then, earlier ones have been attempted again.
const retryTest = 5 * time.Minute

// capacityProblem maps errors about limits on what an organization may do at once.
func capacityProblem(err error) *Problem {
	var full *keys.StorageFullError
	switch {
	case errors.As(err, &full):
		return fullProblem(full)
	case errors.Is(err, places.ErrFull):
		return RateLimited("Too many tools are running for the organization.", "Call again when some of them have answered.", RetryWhenFree).
			InRussian("Для организации уже работает слишком много инструментов.", "Повторите, когда часть из них ответит.")
	case errors.Is(err, webhooks.ErrTooManyTests):
		return RateLimited(
			bilingual.Capital(err.Error())+".", "Make sure that the address answers 2xx to the messages that were sent, then test again.", retryTest,
		).
			InRussian("Проверочных сообщений отправлено слишком много.", "Проверьте, что адрес отвечает на них кодом 2xx, и повторите позже.")
	}
	return nil
}

func fullProblem(full *keys.StorageFullError) *Problem {
	stored, limit := full.StoredBytes>>20, full.LimitBytes>>20
	return New(http.StatusUnprocessableEntity, "STORAGE_FULL",
		fmt.Sprintf("The organization has stored %d MiB of conversations and drafts, and may store %d MiB.", stored, limit),
		"Delete sessions that are no longer needed with DELETE /api/v1/sessions/{id}, "+
			"or ask the operator to raise KOPECK_STORAGE or set KOPECK_SESSION_RETENTION.",
	).
		InRussian(fmt.Sprintf("Организация хранит %d МиБ разговоров и черновиков, а может хранить %d МиБ.", stored, limit),
			"Удалите ненужные разговоры или попросите того, кто ведёт сервис, увеличить KOPECK_STORAGE или задать KOPECK_SESSION_RETENTION.")
}

// upstreamProblem maps the errors of package moysklad. Text that comes from the upstream is untrusted and marked as such.
func upstreamProblem(err error) *Problem {
	p := upstreamKind(err)
	if p != nil {
		p.Detail.Upstream = upstreamErrorOf(err)
	}
	return p
}

// upstreamErrorOf returns the error that the upstream sent, or nil.
func upstreamErrorOf(err error) *UpstreamError {
	var upstreamErr *moysklad.Error
	if !errors.As(err, &upstreamErr) {
		return nil
	}
	return &UpstreamError{Status: upstreamErr.Status, Code: upstreamErr.Code, Text: upstreamErr.Text, Parameter: upstreamErr.Parameter}
}

func upstreamKind(err error) *Problem {
	switch {
	case errors.Is(err, moysklad.ErrPaceUnavailable):
		return NotReady(err)
	case errors.Is(err, moysklad.ErrTokenRefused):
		return New(http.StatusFailedDependency, "UPSTREAM_TOKEN_REVOKED", "The upstream refuses the connection's token.",
			"Verify the connection, or connect the account again with a new token.").
			InRussian("МойСклад не принимает токен подключения.", "Проверьте подключение или замените токен новым.")
	case errors.Is(err, moysklad.ErrPermission):
		return New(
			http.StatusUnprocessableEntity, "UPSTREAM_PERMISSION_DENIED", "The role of the connection's employee does not allow this.",
			"Extend the role in MoySklad and verify the connection, or use the token of another employee.",
		).
			InRussian("Роль сотрудника, чей токен у подключения, этого не разрешает.",
				"Расширьте роль в МоёмСкладе и проверьте подключение или возьмите токен другого сотрудника.")
	case errors.Is(err, moysklad.ErrRejected):
		return New(http.StatusUnprocessableEntity, "UPSTREAM_REJECTED", "The upstream refused the request.",
			"detail.upstream has the upstream's own message.").
			InRussian("МойСклад отклонил запрос.", "Причина — в сообщении МоегоСклада.")
	case errors.Is(err, moysklad.ErrTimeout):
		return New(http.StatusGatewayTimeout, "UPSTREAM_TIMEOUT", "The upstream did not answer within the request's time limit.",
			"Ask for less at once, or repeat the request when fewer questions are running.").
			InRussian("МойСклад не ответил за отведённое время.", "Сузьте вопрос или повторите его позже.")
	case errors.Is(err, moysklad.ErrTooLarge):
		return New(http.StatusUnprocessableEntity, "UPSTREAM_TOO_LARGE", "The upstream's answer is too large to be read.",
			"Ask for less at once, such as fewer rows, a shorter period or one warehouse.").
			InRussian("Ответ МоегоСклада слишком велик, чтобы его прочитать.",
				"Запросите меньше: не так много строк, период короче или один склад.")
	case errors.Is(err, moysklad.ErrIncomplete):
		return New(http.StatusBadGateway, "UPSTREAM_UNAVAILABLE",
			"A list changed while it was read, or some of its rows cannot be read, so the answer would be incomplete.",
			"Repeat the request. If this goes on, tell the operator of the service.").
			InRussian("Список изменился, пока читался, или какие-то его строки не удалось прочитать, и ответ был бы неполным.",
				"Повторите запрос. Если это не пройдёт, сообщите оператору сервиса.")
	case errors.Is(err, moysklad.ErrUnavailable):
		return New(http.StatusBadGateway, "UPSTREAM_UNAVAILABLE",
			"The upstream did not answer, even after retries, or failed so often that no requests are sent to it for a minute.",
			"Repeat the request in a minute.").
			InRussian("МойСклад сейчас не отвечает, в том числе на повторные запросы.", "Повторите вопрос через минуту.")
	}
	return nil
}

// agentProblem maps the errors of package agent.
func agentProblem(err error) *Problem {
	var requestErr *agent.RequestError
	var refused *provider.Error
	switch {
	case errors.As(err, &requestErr):
		return InvalidField(requestErr.Field, "%s", requestErr.Problem)
	case errors.Is(err, agent.ErrSessionBusy):
		return New(http.StatusConflict, "SESSION_BUSY", "Another question of this session is still being answered.",
			"Ask again when it is answered, or use another session.").
			InRussian("В этой беседе ещё готовится ответ на другой вопрос.", "Спросите снова, когда он будет готов, или в новой беседе.").
			RetryIn(2 * time.Second)
	case errors.Is(err, provider.ErrRefused) && errors.As(err, &refused):
		return modelRefused(refused)
	case errors.Is(err, provider.ErrUnavailable) && errors.As(err, &refused):
		return modelUnavailable(refused)
	case errors.Is(err, agent.ErrNotFound):
		return missing(err, agent.ErrNotFound)
	case errors.Is(err, agent.ErrUnknownModel):
		p := New(http.StatusNotFound, "NOT_FOUND", "There is no "+missingObject(err, agent.ErrUnknownModel)+".",
			"GET /v1/models lists the models.")
		p.OpenAI.Code, p.OpenAI.Param = "model_not_found", new("model")
		return p
	}
	return nil
}

// modelRefused returns the problem of a request that the model's provider refused, with the provider's text.
func modelRefused(refused *provider.Error) *Problem {
	p := Invalid("The model's provider refuses the request: "+sentence(refused.Message),
		"Correct the request and send it again; if the conversation is too long, start a new one.").
		InRussian("Языковая модель отклонила запрос: "+sentence(refused.Message),
			"Исправьте запрос и отправьте его снова; если беседа слишком длинная, начните новую.")
	p.OpenAI.Code = refused.Code
	return p
}

// sentence returns another service's text so that a sentence can follow it.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(".!?…", last) {
		return text
	}
	return text + "."
}

// modelUnavailable says what the model's provider did instead of answering. Its own text is only for the log, because it is meant
// for the operator.
func modelUnavailable(failure *provider.Error) *Problem {
	message, hint := modelFailure(failure), bilingual.Text{EN: "Repeat the request in a minute.", RU: "Повторите вопрос через минуту."}
	switch {
	case !failure.IsTemporary():
		hint = bilingual.Text{
			EN: "Repeating it does not help: the operator must check the provider's key, credit and address, and the model's name.",
			RU: "Повтор не поможет: оператору нужно проверить ключ, оплату и адрес поставщика и название модели."}
	case failure.Status == http.StatusOK:
		hint.EN += " If this goes on, the operator must check the provider's address."
		hint.RU += " Если это не пройдёт, оператору нужно проверить адрес поставщика."
	}
	p := New(http.StatusBadGateway, "MODEL_UNAVAILABLE", message.EN, hint.EN).InRussian(message.RU, hint.RU)
	p.final = !failure.IsTemporary()
	return p
}

func modelFailure(failure *provider.Error) bilingual.Text {
	status := failure.Status
	switch {
	case failure.RefusesService():
		return bilingual.Text{EN: "The model provider refuses this service's key or account.",
			RU: "Поставщик языковой модели не принимает ключ этого сервиса, или на его счёте нет денег."}
	case status == 0:
		return bilingual.Text{EN: "The model provider cannot be reached, or did not finish its answer.",
			RU: "С языковой моделью нет связи, или её ответ оборвался."}
	case status == http.StatusOK:
		return bilingual.Text{EN: "The model provider sent an error, or something that is not a model's answer.",
			RU: "Вместо ответа языковой модели пришла ошибка или что-то другое."}
	}
	return bilingual.Text{EN: fmt.Sprintf("The model provider answered with status %d.", status),
		RU: fmt.Sprintf("Поставщик языковой модели ответил ошибкой %d.", status)}
}

// OfDraft returns the problem for an error of package drafts; nil for any other.
func OfDraft(err error) *Problem {
	var unconfirmable *drafts.NotConfirmableError
	var stale *drafts.StaleError
	var rejected *drafts.RejectedError
	var refused *drafts.RefusedError
	switch {
	case errors.Is(err, drafts.ErrNotFound):
		return missing(err, drafts.ErrNotFound)
	case errors.As(err, &unconfirmable):
		hint := nextStep(unconfirmable)
		p := New(http.StatusConflict, "DRAFT_NOT_CONFIRMABLE", bilingual.Capital(unconfirmable.Why)+".", hint.EN).
			InRussian("Этот черновик нельзя подтвердить или отменить. Его состояние: "+draftState(unconfirmable.State).RU+".", hint.RU)
		p.Detail.State = string(unconfirmable.State)
		return p
	case errors.As(err, &stale):
		return New(http.StatusConflict, "DRAFT_STALE", bilingual.Capital(stale.Error())+".",
			"Nothing was written. Ask for a new draft, which shows the current data.").
			InRussian("После показа черновика учёт изменился: "+stale.Failure.MessageRU+".", "Ничего не записано. Попросите новый черновик: в нём будут текущие данные.")
	case errors.As(err, &rejected):
		p := New(http.StatusUnprocessableEntity, rejected.Failure.Code, bilingual.Capital(rejected.Error())+".",
			"Nothing was written. Correct what the upstream reports and ask for a new draft.").
			InRussian("МойСклад отклонил запись.", "Ничего не записано. Исправьте то, о чём он сообщает, и попросите новый черновик.")
		if u := rejected.Failure.Upstream; u != nil {
			p.Detail.Upstream = new(UpstreamError(*u))
		}
		return p
	case errors.As(err, &refused):
		return GatewayRefused(bilingual.Capital(refused.Why)+".", "Writes go through drafts that a person confirms.")
	}
	return nil
}

// afterConfirmation adds to the hint what happens to a draft whose confirmation is recorded.
func (p *Problem) afterConfirmation() *Problem {
	suspended := *p
	suspended.Detail.Hint += " The draft is confirmed and will be written when the connection works again: do not enter it a second time."
	if p.russian.message != "" {
		suspended.russian.hint += " Черновик подтверждён и запишется, когда подключение снова заработает: второй раз заводить его не нужно."
	}
	return &suspended
}

// draftState returns the words for a state, as answers show it.
func draftState(s drafts.State) bilingual.Text {
	layout, _ := tools.LayoutOf("draft")
	i := slices.IndexFunc(layout.Figures, func(c tools.Column) bool { return c.Place == "state" })
	return layout.Figures[i].Words[string(s)]
}

// nextStep returns the hint for a draft that cannot be confirmed. It must not suggest a new draft if this one may already
// have been written, because then the goods would be ordered twice.
func nextStep(e *drafts.NotConfirmableError) bilingual.Text {
	switch {
	case e.State == drafts.Created:
		return bilingual.Text{EN: "It is in the books already: the draft names its document. A new draft would write it a second time.",
			RU: "Он уже в учёте: документ указан в черновике. Новый черновик записал бы то же второй раз."}
	case e.State == drafts.Confirmed:
		return bilingual.Text{EN: "It is confirmed and being written: get the draft to see the result.",
			RU: "Идёт запись: результат появится в черновике."}
	case e.Written:
		return bilingual.Text{EN: "Part of it may be written: check the draft's failure and the account before asking for a new draft.",
			RU: "Часть, возможно, записана: до нового черновика проверьте, что не удалось и что есть в учёте."}
	case e.OtherDigest && e.State == drafts.Drafted:
		return bilingual.Text{EN: "Nothing was written. Read the draft again, and confirm it with the digest that it has.",
			RU: "Ничего не записано. Откройте черновик заново и подтвердите его."}
	}
	return bilingual.Text{EN: "Nothing was written. Ask for a new draft.", RU: "Ничего не записано. Попросите новый черновик."}
}

// limitProblem maps the errors of package limits.
func limitProblem(err error) *Problem {
	var model *limits.ModelError
	var price *limits.PriceError
	var exceeded *limits.ExceededError
	switch {
	case errors.As(err, &model):
		p := New(http.StatusNotFound, "NOT_FOUND", fmt.Sprintf("The key may not use model %.80q.", model.Model),
			"GET /v1/models lists the models that it may use.").
			InRussian(fmt.Sprintf("Этому ключу модель «%.80s» недоступна.", model.Model), "Доступные модели перечисляет GET /v1/models.")
		p.OpenAI.Code, p.OpenAI.Param = "model_not_found", new("model")
		return p
	case errors.As(err, &price):
		return Denied(fmt.Sprintf("Spending is limited in %s, and model %.80q has no price in it.", price.Currency, price.Model),
			"Use another model, or ask the operator to set the price in the models file.").
			InRussian(fmt.Sprintf("Расходы ограничены в %s, а у модели «%.80s» нет цены в этой валюте.", price.Currency, price.Model),
				"Выберите другую модель или попросите указать цену в файле моделей.")
	case errors.As(err, &exceeded):
		return exceededProblem(exceeded)
	}
	return nil
}

// The names of owners, measures and periods. [limits.Ever] has none.
var (
	owners   = map[bool]bilingual.Text{false: {EN: "key", RU: "ключа"}, true: {EN: "organization", RU: "организации"}}
	measures = map[limits.Measure]bilingual.Text{
		limits.Requests: {EN: "requests", RU: "запросов"}, limits.Tokens: {EN: "tokens", RU: "токенов"},
		limits.Money: {EN: "spending", RU: "расходов"}}
	periods = map[limits.Period]bilingual.Text{
		limits.Minute: {EN: " of this minute", RU: " на эту минуту"}, limits.Day: {EN: " of today (UTC)", RU: " на сегодня (UTC)"},
		limits.Month: {EN: " of this month (UTC)", RU: " на этот месяц (UTC)"}}
)

// insufficientQuota is OpenAI's code for a used-up budget.
const insufficientQuota = "insufficient_quota"

// exceededProblem says which limit was reached. Clients retry rate_limit_exceeded, but not insufficient_quota.
func exceededProblem(e *limits.ExceededError) *Problem {
	r := e.Rule
	owner, measure, period := owners[r.Organization], measures[r.Measure], periods[r.Period]
	maximum := r.Max.Decimal().String()
	if r.Measure == limits.Money {
		maximum += " " + r.Currency
	}
	p := RateLimited(fmt.Sprintf("The limit of the %s's %s%s is reached: %s.", owner.EN, measure.EN, period.EN, maximum),
		"Repeat the request when the limit is reset, or ask an admin to raise it.", e.Wait).
		InRussian(fmt.Sprintf("Исчерпан лимит %s %s%s: %s.", measure.RU, owner.RU, period.RU, maximum),
			"Повторите запрос, когда лимит обновится, или попросите администратора его увеличить.")
	p.OpenAI.Code = "rate_limit_exceeded"
	switch {
	case e.Pending:
		p.Detail.Hint = "The rest is reserved for running requests: repeat the request when they are answered."
		p.russian.hint = "Остаток занят запросами, которые ещё выполняются: повторите, когда они завершатся."
	case r.Period != limits.Minute:
		p.OpenAI.Type, p.OpenAI.Code = insufficientQuota, insufficientQuota
	}
	return p
}

// retryProvider is the Retry-After of a provider's 429 if the provider does not say how long to wait.
const retryProvider = 10 * time.Second

// OfProvider maps a provider's error for a client that has chosen the model itself. It keeps the provider's status and
// code. But if the provider refuses this service's key or account, the status is 502, because the client would think that
// its own key was refused, or its own budget used up.
func OfProvider(err error) error {
	var refused *provider.Error
	if !errors.As(err, &refused) {
		return err
	}
	p := modelUnavailable(refused)
	if refused.RefusesService() {
		return p.WithCause(err)
	}
	keepCode, wait := true, refused.RetryAfter
	switch status := refused.Status; status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		p = modelRefused(refused)
		p.Status = status
	case http.StatusRequestEntityTooLarge:
		p = New(status, "REQUEST_TOO_LARGE", "The model's provider refuses the request: "+sentence(refused.Message), "Send less at once.")
	case http.StatusNotFound:
		p = New(status, "NOT_FOUND", "The model's provider does not find something that the request names: "+sentence(refused.Message),
			"Check the names and ids in the request.")
	case http.StatusTooManyRequests:
		p = New(status, "RATE_LIMITED", "The model's provider accepts no more requests for now: "+sentence(refused.Message),
			"Repeat the request later.")
		wait = cmp.Or(wait, retryProvider)
	case http.StatusRequestTimeout:
		p.Status = status
	default:
		keepCode = false
	}
	if keepCode {
		p.OpenAI = openai.Error{Type: refused.Type, Code: refused.Code}
		if refused.Param != "" {
			p.OpenAI.Param = &refused.Param
		}
	}
	return p.WithCause(err).RetryIn(wait)
}

// GatewayRefused returns the problem of a request that the gateway does not pass on.
func GatewayRefused(message, hint string) *Problem {
	return New(http.StatusForbidden, "GATEWAY_REFUSED", message, hint)
}
