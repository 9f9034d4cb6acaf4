package proxy

import (
	"context"
	"strings"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/problem"
)

// base is the prefix of all paths except OpenAI's and those that need no key.
const base = "/api/v1"

// access is what a route requires of its caller, in addition to a scope.
type access int

const (
	needsOrganization access = iota // a valid key and an organization
	needsKey                        // any valid key
	needsOperator                   // a key created with --operator
	public                          // no key
)

// route is an operation of the API. Its request body is described in openapi.yaml and validated before run is called.
type route struct {
	method string
	path   string
	access access
	scope  keys.Scope // the scope that the key must also have; empty means none
	run    function
}

// function handles the requests of a route.
type function func(*Server, context.Context, *request) (httpResponse, error)

// routes is the whole API. Tests check that openapi.yaml and the authorization table contain every route.
var routes = append([]route{
	{"GET", "/healthz", public, "", (*Server).healthCheck},
	{"GET", "/readyz", public, "", (*Server).readinessCheck},
	{"GET", "/metrics", public, "", (*Server).metricsPage},
	{"GET", "/openapi.json", public, "", (*Server).openAPIDocument},
	{"GET", "/docs", public, "", (*Server).docsPage},
	{"GET", "/", public, "", (*Server).consoleFile},
	{"GET", "/console/{file}", public, "", (*Server).consoleFile},

	{"GET", base + "/caller", needsKey, "", (*Server).getCaller},
	{"DELETE", base + "/caller", needsKey, "", (*Server).revokeOwnKey},

	{"POST", "/mcp", needsOrganization, "", (*Server).serveMCP}, // the scope depends on the message
	{"DELETE", "/mcp", needsOrganization, "", (*Server).serveMCP},

	{"GET", base + "/sessions", needsOrganization, "", (*Server).listSessions},
	{"GET", base + "/sessions/{id}", needsOrganization, keys.ReadData, (*Server).getSession},
	{"GET", base + "/sessions/{id}/messages", needsOrganization, keys.ReadData, (*Server).listMessages},
	{"DELETE", base + "/sessions/{id}", needsOrganization, keys.Chat, (*Server).deleteSession},

	{"POST", base + "/organizations", needsOperator, "", idempotent((*Server).createOrganization)},
	{"GET", base + "/organizations", needsOperator, "", (*Server).listOrganizations},
	{"POST", base + "/organizations/{org_id}/api-keys", needsOrganization, keys.Admin, idempotent((*Server).createKey)},
	{"GET", base + "/organizations/{org_id}/api-keys", needsOrganization, keys.Admin, (*Server).listKeys},
	{"DELETE", base + "/organizations/{org_id}/api-keys/{key_id}", needsOrganization, keys.Admin, (*Server).revokeKey},
	{"POST", base + "/organizations/{org_id}/api-keys/{key_id}/rotate", needsOrganization, keys.Admin, idempotent((*Server).rotateKey)},
	{"GET", base + "/organizations/{org_id}/limits", needsOrganization, keys.Admin, (*Server).getLimits},
	{"PUT", base + "/organizations/{org_id}/limits", needsOperator, "", (*Server).setLimits},
	{"GET", base + "/organizations/{org_id}/api-keys/{key_id}/limits", needsOrganization, keys.Admin, (*Server).getLimits},
	{"PUT", base + "/organizations/{org_id}/api-keys/{key_id}/limits", needsOrganization, keys.Admin, (*Server).setLimits},
	{"GET", base + "/organizations/{org_id}/audit", needsOrganization, keys.Admin, (*Server).listAudit},
	{"GET", base + "/organizations/{org_id}/usage", needsOrganization, keys.Admin, (*Server).listUsage},
	{"GET", base + "/spend", needsOperator, "", (*Server).listSpendOfAll},
	{"GET", base + "/organizations/{org_id}/spend", needsOrganization, keys.Admin, (*Server).listSpend},

	{"GET", base + "/tools", needsOrganization, keys.ReadTools, (*Server).listTools},
	{"GET", base + "/tools/{name}", needsOrganization, keys.ReadTools, (*Server).getTool},
	{"POST", base + "/tools/{name}/execute", needsOrganization, keys.WriteTools, idempotent((*Server).executeTool)},

	{"GET", base + "/drafts", needsOrganization, keys.ReadData, (*Server).listDrafts},
	{"GET", base + "/drafts/{id}", needsOrganization, keys.ReadData, (*Server).getDraft},
	{"POST", base + "/drafts/{id}/confirm", needsOrganization, keys.WriteTools, (*Server).confirmDraft},
	{"POST", base + "/drafts/{id}/cancel", needsOrganization, keys.WriteTools, (*Server).cancelDraft},

	{"GET", base + "/connectors", needsOrganization, keys.ReadTools, (*Server).listConnectors},
	{"GET", base + "/connectors/{name}", needsOrganization, keys.ReadTools, (*Server).getConnector},
	{"POST", base + "/connectors/{name}/actions/{action}/execute", needsOrganization, keys.WriteTools, (*Server).executeAction},
	{"GET", base + "/connectors/{name}/gateway/{path:*}", needsOrganization, keys.Gateway, (*Server).passGet},
	{"POST", base + "/connectors/{name}/gateway/{path:*}", needsOrganization, keys.Gateway, idempotent((*Server).passWrite)},
	{"PUT", base + "/connectors/{name}/gateway/{path:*}", needsOrganization, keys.Gateway, (*Server).passWrite},

	{"POST", base + "/connections", needsOrganization, keys.Admin, idempotent((*Server).addConnection)},
	{"GET", base + "/connections", needsOrganization, keys.ReadData, (*Server).listConnections},
	{"GET", base + "/connections/{id}", needsOrganization, keys.ReadData, (*Server).getConnection},
	{"DELETE", base + "/connections/{id}", needsOrganization, keys.Admin, (*Server).deleteConnection},
	{"POST", base + "/connections/{id}/verify", needsOrganization, keys.Admin, (*Server).verifyConnection},
	{"POST", base + "/connections/{id}/token", needsOrganization, keys.Admin, (*Server).replaceToken},

	{"POST", base + "/webhooks", needsOrganization, keys.Admin, idempotent((*Server).addWebhook)},
	{"GET", base + "/webhooks", needsOrganization, keys.Admin, (*Server).listWebhooks},
	{"GET", base + "/webhooks/{id}", needsOrganization, keys.Admin, (*Server).getWebhook},
	{"DELETE", base + "/webhooks/{id}", needsOrganization, keys.Admin, (*Server).deleteWebhook},
	{"POST", base + "/webhooks/{id}/test", needsOrganization, keys.Admin, (*Server).testWebhook},
	{"GET", base + "/webhooks/{id}/deliveries", needsOrganization, keys.Admin, (*Server).listDeliveries},
	{"POST", base + "/webhooks/{id}/deliveries/{delivery_id}/replay", needsOrganization, keys.Admin, (*Server).replayDelivery},
	{"POST", base + "/digests", needsOrganization, keys.Admin, idempotent((*Server).addDigest)},
	{"GET", base + "/digests", needsOrganization, keys.ReadData, (*Server).listDigests},
	{"GET", base + "/digests/{id}", needsOrganization, keys.ReadData, (*Server).getDigest},
	{"DELETE", base + "/digests/{id}", needsOrganization, keys.Admin, (*Server).deleteDigest},
	{"POST", base + "/digests/{id}/ask", needsOrganization, keys.Admin, (*Server).askDigest},
}, chatRoutes()...)

// roots are the prefixes under which OpenAI's paths exist.
var roots = []string{base + "/v1", "/v1", base}

// chatRoutes returns OpenAI's paths under each root. Clients add /v1, /chat/completions or both to the base URL.
func chatRoutes() []route {
	var all []route
	for _, root := range roots {
		all = append(all,
			route{"POST", root + "/chat/completions", needsOrganization, keys.Chat, (*Server).chatCompletions},
			route{"POST", root + "/responses", needsOrganization, keys.Chat, (*Server).createResponse},
			route{"GET", root + "/responses/{id}", needsOrganization, keys.Chat, (*Server).getResponse},
			route{"DELETE", root + "/responses/{id}", needsOrganization, keys.Chat, (*Server).deleteResponse},
			route{"POST", root + "/completions", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/embeddings", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/moderations", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/images/generations", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/audio/speech", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/audio/transcriptions", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/audio/translations", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"POST", root + "/messages", needsOrganization, keys.Chat, (*Server).passThroughOnly},
			route{"GET", root + "/responses/{id}/input_items", needsOrganization, keys.Chat, (*Server).listInputItems},
			route{"POST", root + "/responses/{id}/cancel", needsOrganization, keys.Chat, (*Server).cancelResponse},
			route{"POST", root + "/responses/input_tokens", needsOrganization, keys.Chat, (*Server).countInput},
			route{"POST", root + "/conversations", needsOrganization, keys.Chat, idempotent((*Server).createConversation)},
			route{"GET", root + "/conversations/{id}", needsOrganization, keys.ReadData, (*Server).getConversation},
			route{"DELETE", root + "/conversations/{id}", needsOrganization, keys.Chat, (*Server).deleteConversation},
			route{"GET", root + "/conversations/{id}/items", needsOrganization, keys.ReadData, (*Server).listItems},
			route{"POST", root + "/conversations/{id}/items", needsOrganization, keys.Chat, (*Server).addItems},
			route{"GET", root + "/models", needsKey, "", (*Server).listModels},
			route{"GET", root + "/models/{id:*}", needsKey, "", (*Server).getModel}, // PROVIDER/NAME has a slash
		)
	}
	return all
}

// openAPIPath returns the route's path as in openapi.yaml.
func (r route) openAPIPath() string { return strings.ReplaceAll(r.path, ":*}", "}") }

// newRouter returns the router. It never redirects: a path must be spelled exactly as in the table.
func (s *Server) newRouter() *router.Router {
	r := router.New()
	r.RedirectTrailingSlash = false
	r.RedirectFixedPath = false
	for i := range routes {
		enter := s.handlerFor(&routes[i])
		r.Handle(routes[i].method, routes[i].path, enter)
		if routes[i].method == fasthttp.MethodGet && routes[i].scope != keys.Gateway { // HEAD on the gateway would cost an upstream call
			r.HEAD(routes[i].path, enter)
		}
	}
	// Unknown paths need no key. MCP clients probe OAuth paths, and would conclude from a 401 that OAuth is supported.
	r.NotFound = s.handlerFor(&route{path: "(unknown)", access: public, run: (*Server).noSuchPath})
	r.MethodNotAllowed = s.handlerFor(&route{path: "(unknown method)", access: public, run: (*Server).notAllowed})
	r.GlobalOPTIONS = s.preflight
	return r
}

func (s *Server) noSuchPath(_ context.Context, r *request) (httpResponse, error) {
	return httpResponse{}, problem.NotFoundIn("GET /openapi.json describes all paths.", "There is no path "+r.path())
}

func (s *Server) notAllowed(_ context.Context, r *request) (httpResponse, error) {
	allow := string(r.fast.Response.Header.Peek("Allow")) // set by the router
	if isGatewayPath(r.path()) {
		return httpResponse{}, problem.GatewayRefused("The gateway does not pass on "+r.method()+".", "Use one of: "+allow+".")
	}
	return httpResponse{}, problem.New(fasthttp.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED",
		r.path()+" does not support "+r.method()+".", "Use one of: "+allow+".")
}

// isGatewayPath reports whether a path belongs to the gateway.
func isGatewayPath(path string) bool {
	rest, ok := strings.CutPrefix(path, base+"/connectors/")
	_, rest, _ = strings.Cut(rest, "/")
	return ok && strings.HasPrefix(rest, "gateway/")
}
