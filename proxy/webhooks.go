package proxy

import (
	"context"

	"github.com/kopeck/kopeck/proxy/webhooks"
	"github.com/kopeck/kopeck/schemas/database"
)

// newWebhook is a new webhook with its secret, which is shown only in this response.
type newWebhook struct {
	webhooks.Webhook
	Secret string `json:"secret"`
}

func (s *Server) addWebhook(ctx context.Context, r *request) (httpResponse, error) {
	var body struct {
		URL    string           `json:"url"`
		Events []webhooks.Event `json:"events"`
	}
	if err := r.decode(&body); err != nil {
		return httpResponse{}, err
	}
	w, secret, err := s.cfg.Webhooks.Add(ctx, r.caller, body.URL, body.Events)
	if err != nil {
		return httpResponse{}, err
	}
	return created(newWebhook{w, secret.Reveal()})
}

func (s *Server) listWebhooks(ctx context.Context, r *request) (httpResponse, error) {
	rows, err := s.cfg.Webhooks.List(ctx, r.caller.OrganizationID)
	if err != nil {
		return httpResponse{}, err
	}
	return pageOf(r, rows)
}

func (s *Server) getWebhook(ctx context.Context, r *request) (httpResponse, error) {
	return okResult(s.cfg.Webhooks.Get(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) deleteWebhook(ctx context.Context, r *request) (httpResponse, error) {
	return noContent(s.cfg.Webhooks.Delete(ctx, r.caller, r.param("id")))
}

func (s *Server) testWebhook(ctx context.Context, r *request) (httpResponse, error) {
	return acceptedResult(s.cfg.Webhooks.SendTest(ctx, r.caller.OrganizationID, r.param("id")))
}

func (s *Server) listDeliveries(ctx context.Context, r *request) (httpResponse, error) {
	return pageResult(ctx, r, func(ctx context.Context, organizationID string, page database.Page) ([]webhooks.Delivery, string, error) {
		return s.cfg.Webhooks.Deliveries(ctx, organizationID, r.param("id"), page)
	})
}

func (s *Server) replayDelivery(ctx context.Context, r *request) (httpResponse, error) {
	return acceptedResult(s.cfg.Webhooks.Replay(ctx, r.caller, r.param("id"), r.param("delivery_id")))
}
