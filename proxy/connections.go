package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// connector is the name of the one upstream system there is.
const connector = "moysklad"

func (s *Server) addConnection(ctx context.Context, r *request) (answer, error) {
	var body struct {
		Connector string `json:"connector"`
		Name      string `json:"name"`
		Token     string `json:"token"`
	}
	if err := r.into(&body); err != nil {
		return answer{}, err
	}
	token := strings.TrimSpace(body.Token)
	probe := s.cfg.Accounts.pool.Probe(moysklad.Token(token))
	owner, err := s.cfg.Accounts.verify(ctx, probe)
	if err != nil {
		return answer{}, err
	}
	c, err := s.cfg.Keys.AddConnection(ctx, r.caller, keys.NewConnection{
		OrganizationID: r.caller.OrganizationID,
		Connector:      body.Connector,
		Name:           body.Name,
		AccountID:      owner.AccountID,
		AccountName:    owner.accountName,
		Permissions:    owner.permissions,
		Token:          keys.NewSecret(token),
	})
	if err != nil {
		return answer{}, err
	}
	s.cfg.Accounts.remember(c.ID, owner.Employee, probe)
	r.record.account = c.AccountID
	return created(c)
}

// verifyConnection asks the upstream about the stored token again, and heals or condemns the connection by what it says.
func (s *Server) verifyConnection(ctx context.Context, r *request) (answer, error) {
	organization, id := r.caller.OrganizationID, r.param("id")
	c, err := s.cfg.Keys.AccessNow(ctx, organization, id)
	if err != nil {
		return answer{}, err
	}
	client := s.cfg.Accounts.client(c)
	owner, err := s.cfg.Accounts.verify(ctx, client)
	if errors.Is(err, moysklad.ErrTokenRefused) {
		if _, updateErr := s.cfg.Accounts.condemn(ctx, r.caller, organization, id, err); updateErr != nil {
			return answer{}, updateErr
		}
	}
	if err != nil {
		return answer{}, err
	}
	if owner.AccountID != c.AccountID {
		return answer{}, fmt.Errorf("the token of connection %s answers for account %s instead of %s", id, owner.AccountID, c.AccountID)
	}
	s.cfg.Accounts.remember(id, owner.Employee, client)
	healed, err := s.cfg.Keys.UpdateConnection(ctx, r.caller, organization, id, keys.Verified, owner.permissions)
	if err != nil {
		return answer{}, err
	}
	return s.healed(ctx, r, healed)
}

// replaceToken puts a new token in the place of one that was lost, revoked or given to the wrong employee. The
// connection stays what it is for everyone who named it, so the token must be of the same account.
func (s *Server) replaceToken(ctx context.Context, r *request) (answer, error) {
	var body struct {
		Token string `json:"token"`
	}
	if err := r.into(&body); err != nil {
		return answer{}, err
	}
	organization, id := r.caller.OrganizationID, r.param("id")
	c, err := s.cfg.Keys.Connection(ctx, organization, id)
	if err != nil {
		return answer{}, err
	}
	token := strings.TrimSpace(body.Token)
	probe := s.cfg.Accounts.pool.Probe(moysklad.Token(token))
	owner, err := s.cfg.Accounts.verify(ctx, probe)
	if err != nil {
		return answer{}, err
	}
	if owner.AccountID != c.AccountID {
		return answer{}, invalidFields(field{"token", fmt.Sprintf("must be of account %s (%s), got one of account %s (%s)",
			c.AccountID, c.AccountName, owner.AccountID, owner.accountName)})
	}
	c, err = s.cfg.Keys.ReplaceToken(ctx, r.caller, organization, id, keys.NewSecret(token), owner.permissions)
	if err != nil {
		return answer{}, err
	}
	s.cfg.Accounts.remember(id, owner.Employee, probe)
	return s.healed(ctx, r, c)
}

// healed answers with a connection that works, and has what waited for it tried again.
func (s *Server) healed(ctx context.Context, r *request, c keys.Connection) (answer, error) {
	r.record.account = c.AccountID
	if err := s.cfg.Drafts.Store.Wake(ctx, r.caller.OrganizationID, c.ID); err != nil {
		return answer{}, err
	}
	return ok(c)
}

func (s *Server) listConnections(ctx context.Context, r *request) (answer, error) {
	page, err := r.page()
	if err != nil {
		return answer{}, err
	}
	rows, next, err := s.cfg.Keys.Connections(ctx, r.caller.OrganizationID, page)
	if err != nil {
		return answer{}, err
	}
	return listed(rows, next)
}

func (s *Server) getConnection(ctx context.Context, r *request) (answer, error) {
	c, err := s.cfg.Keys.Connection(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return ok(c)
}

func (s *Server) deleteConnection(ctx context.Context, r *request) (answer, error) {
	if err := s.cfg.Keys.DeleteConnection(ctx, r.caller, r.caller.OrganizationID, r.param("id")); err != nil {
		return answer{}, err
	}
	s.cfg.Accounts.forget(r.param("id"))
	if err := s.cfg.Drafts.Store.Abandon(context.WithoutCancel(ctx), r.caller, r.param("id")); err != nil {
		// The connection is gone all the same, and none of its drafts can be created.
		s.cfg.Log.WarnContext(ctx, "drafts of a deleted connection still wait", "connection", r.param("id"), "error", err)
	}
	return answer{status: http.StatusNoContent}, nil
}

// owner is who a token belongs to, what the role allows, and the account's name for people.
type owner struct {
	moysklad.Employee
	permissions keys.Permissions
	accountName string
}

// verify asks the upstream which organizations the token sees, who its owner is and what the role allows: the first says
// that there are books to read, the second which account's they are.
func (a *Accounts) verify(ctx context.Context, client *moysklad.Client) (owner, error) {
	organizations, err := client.Organizations(ctx)
	if err != nil {
		return owner{}, tokenInvalid(err)
	}
	rights, employee, err := client.Rights(ctx)
	if err != nil {
		return owner{}, tokenInvalid(err)
	}
	if employee.AccountID == "" || len(organizations) == 0 {
		return owner{}, refuse(http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID",
			"The upstream accepts the token, and shows no organization to it.",
			"Give the employee's role the right to see organizations, or use another employee's token.")
	}
	return owner{
		Employee:    employee,
		permissions: keys.Permissions{ViewCost: rights.Cost, ViewMoney: rights.Money, WriteDocuments: rights.Write},
		accountName: organizations[0].Name,
	}, nil
}

// tokenInvalid is a refused token where it is being tried, not used.
func tokenInvalid(err error) error {
	if !errors.Is(err, moysklad.ErrTokenRefused) {
		return err
	}
	p := refuse(http.StatusUnprocessableEntity, "UPSTREAM_TOKEN_INVALID", "The upstream refuses the token.",
		"Make a new access token in MoySklad (Settings, Access tokens) for an employee whose role may use the API.").because(err)
	var said *moysklad.Error
	if errors.As(err, &said) {
		p.detail.Upstream = &upstream{Status: said.Status, Code: said.Code, Text: said.Text}
	}
	return p
}
