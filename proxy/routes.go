package proxy

import (
	"context"
	"strings"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/keys"
)

// base is where everything is but the addresses that need no key.
const base = "/api/v1"

// need is what a caller must show for a route.
type need int

const (
	aKey       need = iota // any valid key, and the organization that it is about
	anyKey                 // any valid key; the organization does not matter
	anOperator             // a key of the command line's --operator
	nothing                // no key
)

// route is one line of the API: an address, what a caller needs for it, and the function that answers. Its request body
// is described in openapi.yaml and checked before the function is called.
type route struct {
	method string
	path   string
	need   need
	scope  keys.Scope // besides; empty is none
	run    function
}

// function answers the requests of a route.
type function func(*Server, context.Context, *request) (answer, error)

// routes is the whole API. The tests walk it: a line without its entry in openapi.yaml, or without its row in the
// authorization table, fails.
var routes = append([]route{
	{"GET", "/healthz", nothing, "", (*Server).healthy},
	{"GET", "/readyz", nothing, "", (*Server).ready},
	{"GET", "/metrics", nothing, "", (*Server).measured},
	{"GET", "/openapi.json", nothing, "", (*Server).described},
	{"GET", "/docs", nothing, "", (*Server).explained},
	{"GET", "/", nothing, "", (*Server).consoleFile},
	{"GET", "/console/{file}", nothing, "", (*Server).consoleFile},

	{"GET", base + "/caller", anyKey, "", (*Server).whoCalls},
	{"DELETE", base + "/caller", anyKey, "", (*Server).revokeOwnKey},

	{"POST", "/mcp", aKey, "", (*Server).exchangeMCP}, // each message has its scope
	{"DELETE", "/mcp", aKey, "", (*Server).exchangeMCP},

	{"GET", base + "/sessions", aKey, "", (*Server).listSessions},
	{"GET", base + "/sessions/{id}", aKey, keys.ReadData, (*Server).getSession},
	{"GET", base + "/sessions/{id}/messages", aKey, keys.ReadData, (*Server).listMessages},
	{"DELETE", base + "/sessions/{id}", aKey, keys.Chat, (*Server).deleteSession},

	{"POST", base + "/organizations", anOperator, "", creating((*Server).createOrganization)},
	{"GET", base + "/organizations", anOperator, "", (*Server).listOrganizations},
	{"POST", base + "/organizations/{org_id}/api-keys", aKey, keys.Admin, creating((*Server).createKey)},
	{"GET", base + "/organizations/{org_id}/api-keys", aKey, keys.Admin, (*Server).listKeys},
	{"DELETE", base + "/organizations/{org_id}/api-keys/{key_id}", aKey, keys.Admin, (*Server).revokeKey},
	{"POST", base + "/organizations/{org_id}/api-keys/{key_id}/rotate", aKey, keys.Admin, creating((*Server).rotateKey)},
	{"GET", base + "/organizations/{org_id}/limits", aKey, keys.Admin, (*Server).getLimits},
	{"PUT", base + "/organizations/{org_id}/limits", anOperator, "", (*Server).setLimits},
	{"GET", base + "/organizations/{org_id}/api-keys/{key_id}/limits", aKey, keys.Admin, (*Server).getLimits},
	{"PUT", base + "/organizations/{org_id}/api-keys/{key_id}/limits", aKey, keys.Admin, (*Server).setLimits},
	{"GET", base + "/organizations/{org_id}/audit", aKey, keys.Admin, (*Server).listAudit},
	{"GET", base + "/organizations/{org_id}/usage", aKey, keys.Admin, (*Server).listUsage},
	{"GET", base + "/spend", anOperator, "", (*Server).listSpendOfAll},
	{"GET", base + "/organizations/{org_id}/spend", aKey, keys.Admin, (*Server).listSpend},

	{"GET", base + "/tools", aKey, keys.ReadTools, (*Server).listTools},
	{"GET", base + "/tools/{name}", aKey, keys.ReadTools, (*Server).getTool},
	{"POST", base + "/tools/{name}/execute", aKey, keys.WriteTools, creating((*Server).executeTool)},

	{"GET", base + "/drafts", aKey, keys.ReadData, (*Server).listDrafts},
	{"GET", base + "/drafts/{id}", aKey, keys.ReadData, (*Server).getDraft},
	{"POST", base + "/drafts/{id}/confirm", aKey, keys.WriteTools, (*Server).confirmDraft},
	{"POST", base + "/drafts/{id}/cancel", aKey, keys.WriteTools, (*Server).cancelDraft},

	{"GET", base + "/connectors", aKey, keys.ReadTools, (*Server).listConnectors},
	{"GET", base + "/connectors/{name}", aKey, keys.ReadTools, (*Server).getConnector},
	{"POST", base + "/connectors/{name}/actions/{action}/execute", aKey, keys.WriteTools, (*Server).executeAction},
	{"GET", base + "/connectors/{name}/gateway/{path:*}", aKey, keys.Gateway, (*Server).passGet},
	{"POST", base + "/connectors/{name}/gateway/{path:*}", aKey, keys.Gateway, creating((*Server).passWrite)},
	{"PUT", base + "/connectors/{name}/gateway/{path:*}", aKey, keys.Gateway, (*Server).passWrite},

	{"POST", base + "/connections", aKey, keys.Admin, creating((*Server).addConnection)},
	{"GET", base + "/connections", aKey, keys.ReadData, (*Server).listConnections},
	{"GET", base + "/connections/{id}", aKey, keys.ReadData, (*Server).getConnection},
	{"DELETE", base + "/connections/{id}", aKey, keys.Admin, (*Server).deleteConnection},
	{"POST", base + "/connections/{id}/verify", aKey, keys.Admin, (*Server).verifyConnection},
	{"POST", base + "/connections/{id}/token", aKey, keys.Admin, (*Server).replaceToken},

	{"POST", base + "/webhooks", aKey, keys.Admin, creating((*Server).addWebhook)},
	{"GET", base + "/webhooks", aKey, keys.Admin, (*Server).listWebhooks},
	{"GET", base + "/webhooks/{id}", aKey, keys.Admin, (*Server).getWebhook},
	{"DELETE", base + "/webhooks/{id}", aKey, keys.Admin, (*Server).deleteWebhook},
	{"POST", base + "/webhooks/{id}/test", aKey, keys.Admin, (*Server).testWebhook},
	{"GET", base + "/webhooks/{id}/deliveries", aKey, keys.Admin, (*Server).listDeliveries},
	{"POST", base + "/webhooks/{id}/deliveries/{delivery_id}/replay", aKey, keys.Admin, (*Server).replayDelivery},
	{"POST", base + "/digests", aKey, keys.Admin, creating((*Server).addDigest)},
	{"GET", base + "/digests", aKey, keys.ReadData, (*Server).listDigests},
	{"GET", base + "/digests/{id}", aKey, keys.ReadData, (*Server).getDigest},
	{"DELETE", base + "/digests/{id}", aKey, keys.Admin, (*Server).deleteDigest},
	{"POST", base + "/digests/{id}/ask", aKey, keys.Admin, (*Server).askDigest},
}, chatRoutes()...)

// roots are where OpenAI's addresses are.
var roots = []string{base + "/v1", "/v1", base}

// chatRoutes are OpenAI's addresses, each three times: clients add /v1, /chat/completions or both to what they are given.
func chatRoutes() []route {
	var all []route
	for _, root := range roots {
		all = append(all,
			route{"POST", root + "/chat/completions", aKey, keys.Chat, (*Server).complete},
			route{"POST", root + "/responses", aKey, keys.Chat, (*Server).respond},
			route{"GET", root + "/responses/{id}", aKey, keys.Chat, (*Server).getResponse},
			route{"DELETE", root + "/responses/{id}", aKey, keys.Chat, (*Server).deleteResponse},
			route{"POST", root + "/completions", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/embeddings", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/moderations", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/images/generations", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/audio/speech", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/audio/transcriptions", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/audio/translations", aKey, keys.Chat, (*Server).passOnly},
			route{"POST", root + "/messages", aKey, keys.Chat, (*Server).passOnly},
			route{"GET", root + "/responses/{id}/input_items", aKey, keys.Chat, (*Server).listInputItems},
			route{"POST", root + "/responses/{id}/cancel", aKey, keys.Chat, (*Server).cancelResponse},
			route{"POST", root + "/responses/input_tokens", aKey, keys.Chat, (*Server).countInput},
			route{"POST", root + "/conversations", aKey, keys.Chat, (*Server).createConversation},
			route{"GET", root + "/conversations/{id}", aKey, keys.ReadData, (*Server).getConversation},
			route{"DELETE", root + "/conversations/{id}", aKey, keys.Chat, (*Server).deleteConversation},
			route{"GET", root + "/conversations/{id}/items", aKey, keys.ReadData, (*Server).listItems},
			route{"POST", root + "/conversations/{id}/items", aKey, keys.Chat, (*Server).addItems},
			route{"GET", root + "/models", anyKey, "", (*Server).listModels},
			route{"GET", root + "/models/{id:*}", anyKey, "", (*Server).getModel}, // PROVIDER/NAME has a slash
		)
	}
	return all
}

// documented is the route's path as openapi.yaml writes it.
func (r route) documented() string { return strings.ReplaceAll(r.path, ":*}", "}") }

// routed builds the router. It never redirects: an address is spelt as in the table or is not there.
func (s *Server) routed() *router.Router {
	r := router.New()
	r.RedirectTrailingSlash = false
	r.RedirectFixedPath = false
	for i := range routes {
		enter := s.enter(&routes[i])
		r.Handle(routes[i].method, routes[i].path, enter)
		if routes[i].method == fasthttp.MethodGet && routes[i].scope != keys.Gateway { // a head from upstream would cost a call
			r.HEAD(routes[i].path, enter)
		}
	}
	// Without a key too: clients of MCP look for addresses of OAuth, and take 401 there for an offer of it.
	r.NotFound = s.enter(&route{path: "(unknown)", need: nothing, run: (*Server).nowhere})
	r.MethodNotAllowed = s.enter(&route{path: "(unknown method)", need: nothing, run: (*Server).notAllowed})
	r.GlobalOPTIONS = s.preflight
	return r
}

func (s *Server) nowhere(_ context.Context, r *request) (answer, error) {
	return answer{}, notFound("There is no address " + r.path())
}

func (s *Server) notAllowed(_ context.Context, r *request) (answer, error) {
	allow := string(r.fast.Response.Header.Peek("Allow")) // set by the router
	if throughGateway(r.path()) {
		return answer{}, gatewayRefused("The gateway does not pass on "+r.method()+".", "It takes "+allow+".")
	}
	return answer{}, refuse(fasthttp.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED",
		r.method()+" is not something that "+r.path()+" does.", "It takes "+allow+".")
}

// throughGateway tells the gateway's addresses, whatever the method.
func throughGateway(path string) bool {
	rest, ok := strings.CutPrefix(path, base+"/connectors/")
	_, rest, _ = strings.Cut(rest, "/")
	return ok && strings.HasPrefix(rest, "gateway/")
}
