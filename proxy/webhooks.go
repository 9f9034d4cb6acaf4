package proxy

import (
	"context"
	"net/http"

	"github.com/kopeck/kopeck/proxy/webhooks"
)

// newWebhook is a webhook in the one answer that shows its secret.
type newWebhook struct {
	webhooks.Webhook
	Secret string `json:"secret"`
}

func (s *Server) addWebhook(ctx context.Context, r *request) (answer, error) {
	var body struct {
		URL    string           `json:"url"`
		Events []webhooks.Event `json:"events"`
	}
	if err := r.into(&body); err != nil {
		return answer{}, err
	}
	w, secret, err := s.cfg.Webhooks.Add(ctx, r.caller, body.URL, body.Events)
	if err != nil {
		return answer{}, err
	}
	return created(newWebhook{w, secret.Reveal()})
}

func (s *Server) listWebhooks(ctx context.Context, r *request) (answer, error) {
	rows, err := s.cfg.Webhooks.List(ctx, r.caller.OrganizationID)
	if err != nil {
		return answer{}, err
	}
	return part(r, rows)
}

func (s *Server) getWebhook(ctx context.Context, r *request) (answer, error) {
	w, err := s.cfg.Webhooks.Get(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return ok(w)
}

func (s *Server) deleteWebhook(ctx context.Context, r *request) (answer, error) {
	if err := s.cfg.Webhooks.Delete(ctx, r.caller, r.param("id")); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusNoContent}, nil
}

func (s *Server) testWebhook(ctx context.Context, r *request) (answer, error) {
	d, err := s.cfg.Webhooks.SendTest(ctx, r.caller.OrganizationID, r.param("id"))
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, value: d}, nil
}

func (s *Server) listDeliveries(ctx context.Context, r *request) (answer, error) {
	page, err := r.page()
	if err != nil {
		return answer{}, err
	}
	rows, next, err := s.cfg.Webhooks.Deliveries(ctx, r.caller.OrganizationID, r.param("id"), page.Limit, page.Cursor)
	if err != nil {
		return answer{}, err
	}
	return listed(rows, next)
}

func (s *Server) replayDelivery(ctx context.Context, r *request) (answer, error) {
	d, err := s.cfg.Webhooks.Replay(ctx, r.caller, r.param("id"), r.param("delivery_id"))
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, value: d}, nil
}
