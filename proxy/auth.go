package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/clients"
	"github.com/kopeck/kopeck/proxy/problem"
)

// authenticate finds the caller and the organization that the request is about, and checks the caller's permissions. It
// returns the key.
func (s *Server) authenticate(ctx context.Context, r *request) (secret string, err error) {
	if secret, err = r.bearer(); err != nil {
		return "", err
	}
	if err := s.verify(ctx, r, secret); err != nil {
		return "", err
	}
	r.record.key, r.record.organization = r.caller.KeyID, r.caller.OrganizationID
	if err := r.chooseOrganization(); err != nil {
		return "", err
	}
	r.record.organization = r.caller.OrganizationID
	if r.caller.Operator && r.caller.OrganizationID != "" {
		if _, err := s.cfg.Keys.Organization(ctx, r.caller.OrganizationID); err != nil {
			return "", err
		}
	}
	return secret, r.checkPermission()
}

// verify finds the caller of a key. It also enforces the limits on wrong keys per address and requests per key.
func (s *Server) verify(ctx context.Context, r *request, secret string) (err error) {
	now := s.cfg.Now()
	if err := s.guard.check(r.client, secret, now); err != nil {
		return err
	}
	r.caller, err = s.cfg.Keys.Verify(ctx, secret)
	if errors.Is(err, keys.ErrMalformed) || errors.Is(err, keys.ErrUnknown) {
		s.guard.noteFailure(r.client, now)
	}
	if errors.Is(err, keys.ErrAltered) {
		s.cfg.Log.ErrorContext(ctx, "an API key is refused", "error", err)
	}
	if err != nil {
		return problem.OfRefusedKey(ctx, err)
	}
	s.guard.noteSuccess(secret, now)
	clients.Of(r.fast.Conn()).MarkAuthenticated()
	if r.caller.ExpiresAt.Sub(now) < expiryNotice {
		r.fast.Response.Header.Set(expiryHeader, r.caller.ExpiresAt.Format(time.RFC3339))
	}
	return s.chargeKey(r, 1)
}

// chargeKey counts requests against the key's limit per minute.
func (s *Server) chargeKey(r *request, count int) error {
	if s.keyQuota == nil {
		return nil
	}
	if wait := s.keyQuota.take(r.caller.KeyID, count, s.cfg.Now()); wait > 0 {
		return problem.RateLimited(fmt.Sprintf("The key has sent more than %d requests within a minute.", s.cfg.RequestsPerKey),
			"Send fewer, or spread them out.", wait).
			InRussian(fmt.Sprintf("С этим ключом за минуту пришло больше %d запросов.", s.cfg.RequestsPerKey), "Подождите минуту.")
	}
	return nil
}

// A response to a key that expires soon contains this header.
const (
	expiryHeader = "X-Key-Expires-At"
	expiryNotice = 14 * 24 * time.Hour
)

// bearer returns the key from the Authorization header or Anthropic's X-Api-Key. It returns an error unless the request
// contains exactly one key.
func (r *request) bearer() (string, error) {
	sent := r.fast.Request.Header.PeekAll(fasthttp.HeaderAuthorization)
	if r.api.anthropic() {
		if secrets := r.fast.Request.Header.PeekAll("X-Api-Key"); len(secrets) == 1 && len(sent) == 0 {
			return string(secrets[0]), nil
		} else if len(secrets) > 0 {
			return "", problem.Invalid("The request has several keys in X-Api-Key and Authorization.", "Send exactly one.")
		}
	}
	switch len(sent) {
	case 0:
		return "", missingKey("The request has no Authorization header.")
	case 1:
	default:
		return "", problem.Invalid(fmt.Sprintf("The request has %d Authorization headers.", len(sent)), "Send exactly one.")
	}
	scheme, secret, _ := strings.Cut(string(sent[0]), " ")
	if secret = strings.Trim(secret, " "); !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return "", missingKey("The Authorization header is not of the form \"Bearer KEY\".")
	}
	return secret, nil
}

func missingKey(message string) *problem.Problem {
	return problem.New(http.StatusUnauthorized, "AUTH_TOKEN_MISSING", message,
		"Send Authorization: Bearer sk-org-…; an admin of the organization creates keys.").
		InRussian("В запросе нет ключа.", "Укажите ключ sk-org-…: его создаёт администратор организации.")
}

// chooseOrganization determines the organization that the request is about, from the path, X-Org-Id or the key. It refuses
// organizations that the caller does not belong to.
func (r *request) chooseOrganization() error {
	inHeader, err := r.header("X-Org-Id")
	if err != nil {
		return err
	}
	inPath := r.param("org_id")
	if inPath != "" && inHeader != "" && inPath != inHeader {
		return problem.Invalid(fmt.Sprintf("The path names organization %q and X-Org-Id %q.", inPath, inHeader),
			"Leave X-Org-Id out, or name the same.")
	}
	named := cmp.Or(inPath, inHeader)
	switch {
	case r.caller.Operator:
		r.caller.OrganizationID = named
		if named == "" && r.route.access == needsOrganization {
			return problem.Invalid("The key belongs to all organizations, and the request names none.", "Name one in the X-Org-Id header.").
				At("X-Org-Id", "is required with an operator's key").
				InRussian("Это ключ оператора, он действует для всех организаций, а организация не выбрана.", "Выберите организацию.")
		}
	case named != "" && named != r.caller.OrganizationID:
		return problem.Denied(fmt.Sprintf("The key does not belong to organization %q.", named),
			"Use a key of that organization, or leave X-Org-Id out.").
			InRussian(fmt.Sprintf("Этот ключ не от организации «%s».", named), "Возьмите ключ этой организации.")
	}
	return nil
}

// checkPermission checks the caller against the route's access and scope.
func (r *request) checkPermission() error {
	if r.route.access == needsOperator && !r.caller.Operator {
		const command = "kopeck key create --operator --scopes admin --org ORGANIZATION_ID --name NAME"
		return problem.Denied("This needs an operator's key.", "Make one on the command line: "+command+".").
			InRussian("Для этого нужен ключ оператора.", "Создайте его командой "+command+".")
	}
	if scope := r.route.scope; scope != "" && !r.caller.Can(scope) {
		return problem.Denied(fmt.Sprintf("The key does not have the scope %s.", scope),
			fmt.Sprintf("It has %s. Ask an admin for a key with %s.", scopesText(r.caller.Scopes), scope)).
			InRussian(fmt.Sprintf("У ключа нет права %s.", scope),
				fmt.Sprintf("Есть права: %s. Попросите у администратора ключ с правом %s.", scopesText(r.caller.Scopes), scope))
	}
	return nil
}

func scopesText(scopes []keys.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// callerView is what the API shows a key about itself. Organization is nil for an operator's key without X-Org-Id.
type callerView struct {
	KeyID        string             `json:"key_id"`
	Scopes       []keys.Scope       `json:"scopes"`
	Operator     bool               `json:"operator"`
	Organization *keys.Organization `json:"organization"`
}

func (s *Server) getCaller(ctx context.Context, r *request) (httpResponse, error) {
	view := callerView{KeyID: r.caller.KeyID, Scopes: r.caller.Scopes, Operator: r.caller.Operator}
	if r.caller.OrganizationID != "" {
		organization, err := s.cfg.Keys.Organization(ctx, r.caller.OrganizationID)
		if err != nil {
			return httpResponse{}, err
		}
		view.Organization = &organization
	}
	return ok(view)
}
