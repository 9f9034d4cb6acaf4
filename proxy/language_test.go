package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/limits"
	"github.com/kopeck/kopeck/proxy/places"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/accounts"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
)

func isRussian(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
}

// expectRussian checks that all texts of an error are Russian.
func expectRussian(t *testing.T, name string, d problem.Detail) {
	t.Helper()
	texts := []string{d.Message, d.Hint}
	for _, f := range d.Fields {
		texts = append(texts, f.Problem)
	}
	for _, text := range texts {
		if !isRussian(text) {
			t.Errorf("%s: %q is not Russian", name, text)
		}
	}
}

func TestErrorsThatAnOwnerCanMeetAreRussianToo(t *testing.T) {
	missingKey := fmt.Errorf("revoke the key: %w", fmt.Errorf("key %q: %w", "k1", keys.ErrNotFound))
	for _, err := range []error{
		keys.ErrMalformed, keys.ErrUnknown, keys.ErrExpired, keys.ErrRevoked, keys.ErrAltered, keys.ErrDenied, keys.ErrLimitsAltered,
		keys.ErrWrongMasterKey, missingKey, check.Invalid(check.Empty.At("token")), &keys.StorageFullError{},
		check.Invalid(check.Within.At("days", 1, 365).WithValue(0)), &tools.AmbiguousError{Accounts: make([]tools.Candidate, 2)},
		accounts.ErrNoConnection, accounts.ErrNoOrganization, accounts.ErrTokenInvalid, &accounts.FailingError{}, &accounts.OtherAccountError{},
		&accounts.KeyError{Err: keys.ErrRevoked}, places.ErrFull, webhooks.ErrTooManyTests,
		moysklad.ErrTokenRefused, moysklad.ErrPermission, moysklad.ErrRejected, moysklad.ErrTimeout, moysklad.ErrIncomplete,
		moysklad.ErrUnavailable, moysklad.ErrTooLarge,
		agent.ErrSessionBusy, fmt.Errorf("session %q: %w", "s1", agent.ErrNotFound), provider.ErrUnavailable,
		fmt.Errorf("draft %q: %w", "d1", drafts.ErrNotFound), &drafts.NotConfirmableError{State: drafts.Cancelled},
		&drafts.StaleError{Failure: drafts.Failure{MessageRU: "в архиве или удалено: товар «Кружка»"}}, &drafts.RejectedError{Failure: drafts.Failure{Code: "UPSTREAM_REJECTED"}},
		&limits.ModelError{}, &limits.PriceError{}, &limits.ExceededError{Rule: limits.Rule{Measure: limits.Tokens, Period: limits.Day}},
		&drafts.SuspendedError{Err: &accounts.FailingError{}}, problem.ErrStopping, errors.New("a defect"),
	} {
		expectRussian(t, err.Error(), problem.Of(t.Context(), err).InLanguage("ru").Detail)
	}
}

// The console sends the page's language, and shows what the service says. Without a language, errors are English.
func TestErrorsAreInTheLanguageThatTheClientAccepts(t *testing.T) {
	h := newHarness(t, setup{})
	shop := h.connect()
	for name, c := range map[string]struct{ method, path, body string }{
		"a missing object":    {"GET", "/api/v1/drafts/none", ""},
		"a body":              {"POST", "/api/v1/organizations/" + h.org + "/api-keys", `{"name":7}`},
		"a name":              {"POST", "/api/v1/organizations/" + h.org + "/api-keys", `{"name":" "}`},
		"limits":              {"PUT", "/api/v1/organizations/" + h.org + "/api-keys/none/limits", `{"currency":"rub"}`},
		"a webhook":           {"POST", "/api/v1/webhooks", `{"url":"ftp://shop.example"}`},
		"a schedule":          {"POST", "/api/v1/digests", `{"question":"?","cron":"* * * * *","time_zone":"Mars"}`},
		"a day":               {"GET", "/api/v1/organizations/" + h.org + "/spend?from=2027-01-01&to=2026-01-01", ""},
		"arguments":           {"POST", "/api/v1/tools/dead_stock/execute", `{"arguments":{"min_days":0}}`},
		"another warehouse":   {"POST", "/api/v1/tools/stock/execute", `{"arguments":{"warehouse":"none"}}`},
		"a token":             {"POST", "/api/v1/connections/" + shop.ID + "/token", `{"token":""}`},
		"another's key":       {"GET", "/api/v1/organizations/other/api-keys", ""},
		"an operator's right": {"GET", "/api/v1/organizations", ""},
	} {
		got := h.do(c.method, c.path, c.body, http.Header{"Accept-Language": {"ru-RU,ru;q=0.9,en;q=0.8"}}).failure()
		expectRussian(t, name, got.Detail)
		if english := h.do(c.method, c.path, c.body, nil).failure(); isRussian(english.Detail.Message) || english.Detail.Code != got.Detail.Code {
			t.Errorf("%s: %+v without a language, %+v in Russian", name, english.Detail, got.Detail)
		}
	}
}
