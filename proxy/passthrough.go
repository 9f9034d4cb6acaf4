package proxy

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/proxy/routing"
	"github.com/kopeck/kopeck/proxy/skim"
	"github.com/kopeck/kopeck/schemas/openai"
)

// modelRequest is a request that is passed through to a model. No agent or tool is involved.
type modelRequest struct {
	skim.Request
	model       *models.Model
	api         *api
	contentType string // empty means JSON
}

// readModelRequest reads as much of the body as is needed to find the model and to count its use. It does not validate the
// body. It returns nil if the model is not a pass-through model.
func (s *Server) readModelRequest(body []byte, api *api) (*modelRequest, error) {
	set := s.cfg.Models.Set()
	if set.Empty() {
		return nil, nil
	}
	routed, bodyErr := skim.ReadJSON(body, api.deferBy)
	model := set.Find(routed.Model)
	var wrong *skim.FieldError
	switch {
	case errors.Is(bodyErr, skim.ErrNotObject):
		return nil, nil // the body's validation will report the error
	case errors.Is(bodyErr, skim.ErrAmbiguous):
		return nil, problem.Invalid("The request has model, stream or stream_options twice, or not in lower case.",
			"Send each field once, in lower case.")
	case model == nil:
		return nil, nil
	case errors.As(bodyErr, &wrong):
		return nil, problem.InvalidField(wrong.Field, "%s", wrong.Problem)
	}
	return &modelRequest{routed, model, api, ""}, nil
}

// readModelForm reads a form that will be passed through.
func (s *Server) readModelForm(r *request) (*modelRequest, error) {
	contentType := string(r.fast.Request.Header.Peek(fasthttp.HeaderContentType))
	if !strings.HasPrefix(contentType, skim.FormType) {
		return nil, unsupported(fmt.Sprintf("The body is of type %q.", contentType), "Send multipart/form-data.")
	}
	form, boundary, formErr := skim.ReadForm(r.fast.PostBody(), contentType)
	switch {
	case errors.Is(formErr, skim.ErrAmbiguous):
		return nil, problem.Invalid("The form has model or stream twice, as a file, or not in lower case.", "Send each field once, in lower case.")
	case formErr != nil:
		return nil, problem.Invalid("The body is not a valid form, although its Content-Type says so.",
			"Use an HTTP library that encodes multipart/form-data.").At("body", "must be a form")
	case form.Model == "":
		return nil, problem.InvalidField("model", "is required")
	}
	model := s.cfg.Models.Find(form.Model)
	if model == nil {
		return nil, unknownModel(form.Model)
	}
	// The Content-Type is rewritten, because another parser might find a different boundary in the client's header.
	return &modelRequest{form, model, r.api, mime.FormatMediaType(skim.FormType, map[string]string{"boundary": boundary})}, nil
}

// routeHeader names the route that responded.
const routeHeader = "X-Kopeck-Route"

// passThrough sends a request to the model that it names. It replaces the name of the model and masks this service's
// secrets, and changes nothing else. It returns the response unchanged, but without the usage at the end of a stream if the
// client did not ask for it.
func (s *Server) passThrough(ctx context.Context, r *request) (httpResponse, error) {
	m := r.modelRequest
	r.record.model = m.Model
	accepts := m.api.acceptsRoute()
	if accepts != nil && !m.model.HasRoute(accepts) {
		return httpResponse{}, problem.InvalidField("model", "must be a model of a provider of kind %s, got %.80q", m.api.providerKind, m.Model)
	}
	if m.Secret || s.cfg.RefuseSecrets && !m.api.isForm && redact.ContainsOwnSecret(m.Text) {
		return httpResponse{}, secretProblem()
	}
	admission, err := s.admitRequest(ctx, r, m.Model, m.limitEstimate())
	if err != nil {
		return httpResponse{}, err
	}
	r.record.admitted, r.record.admission, r.record.prices = true, admission, m.model.Prices
	headers := r.passedHeaders()
	cached, key := s.findCached(r, headers)
	if cached != nil {
		return *cached, nil
	}
	reserve := s.bodyMemory.reserveMore(r)
	reply, err := m.model.Ask(ctx, accepts, func(to *routing.Route) provider.Call {
		return provider.Call{Path: m.api.path, ContentType: m.contentType, Headers: headers, Body: m.body(to),
			Streamed: m.Stream, MustBeObject: !m.api.anyContent, Reserve: reserve, HeaderWait: s.cfg.Ping}
	})
	if err != nil {
		if provider.MayHaveAnswered(err) {
			r.record.lost, r.record.usage = true, m.lostUsage()
		}
		return httpResponse{}, problem.OfProvider(err)
	}
	r.record.modelRoute, r.record.modelTries = reply.Route.Name, reply.Tries
	r.record.prices = m.model.RoutePrices(reply.Route.Name)
	if reply.Streamed() {
		return s.passStream(ctx, r, reply), nil
	}
	contentType, text := m.api.safeContentType(reply.ContentType()), reply.Route.WithoutSecrets(reply.Body())
	r.record.addUsage(skim.Usage(text))
	if r.record.usage == nil && m.api.countsText {
		r.record.usage = m.estimate(skim.Tokens(len(text)))
	}
	header := map[string]string{routeHeader: reply.Route.Name}
	if key != nil {
		header[cacheHeader] = "miss"
		s.storeCached(key, contentType, reply.Route, text)
	}
	return httpResponse{status: http.StatusOK, contentType: contentType, header: header, raw: text, bodyCloser: reply}, nil
}

// safeContentTypes are the allowed types of responses that need not be JSON, in addition to JSON and audio/*.
var safeContentTypes = []string{
	"application/octet-stream",
	"application/ogg",
	"application/x-subrip",
	"text/plain",
	"text/vtt",
}

// safeContentType returns the Content-Type to send for a response of the given type. It never returns one whose content
// browsers execute.
func (a *api) safeContentType(given string) string {
	media, _, err := mime.ParseMediaType(given)
	switch {
	case err == nil && media == "application/json",
		err == nil && a.anyContent && (slices.Contains(safeContentTypes, media) || strings.HasPrefix(media, "audio/")):
		return given
	case a.anyContent:
		return "application/octet-stream"
	}
	return "application/json"
}

// body returns the request's body as a route's provider must get it.
func (m *modelRequest) body(to *routing.Route) [][]byte {
	if m.api.isForm {
		return m.FormFor(to.Client.Name)
	}
	return m.JSONFor(to.QuotedName, to.OldMaxTokens && m.api.path == provider.ChatCompletions, m.api.usageOnRequest)
}

// passedHeaders returns the headers of the request that belong to the provider's protocol.
func (r *request) passedHeaders() map[string]string {
	if r.api.path != provider.Messages {
		return nil
	}
	headers := map[string]string{}
	for _, name := range []string{"Anthropic-Version", "Anthropic-Beta"} {
		if value := r.fast.Request.Header.Peek(name); len(value) > 0 {
			headers[name] = string(value)
		}
	}
	return headers
}

// secretProblem refuses a request that contains a secret. It is used if the settings demand it, and for forms, which cannot
// be masked.
func secretProblem() *problem.Problem {
	return problem.Invalid("The request contains a key of this service or what looks like a MoySklad token.",
		"Remove it: it would be sent to the model's provider.")
}

// addUsage adds the usage in a response or event. Some providers report prompt tokens in the first event and completion
// tokens in the last.
func (r *record) addUsage(usage *openai.Usage) {
	if usage == nil {
		return
	}
	if r.usage != nil {
		usage.PromptTokens = max(usage.PromptTokens, r.usage.PromptTokens)
		usage.CompletionTokens = max(usage.CompletionTokens, r.usage.CompletionTokens)
		usage.CachedTokens = max(usage.CachedTokens, r.usage.CachedTokens)
		usage.TotalTokens = max(usage.TotalTokens, usage.PromptTokens+usage.CompletionTokens)
	}
	r.usage = usage
}
