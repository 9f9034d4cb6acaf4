package proxy

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// gatewayTemplates are the upstream paths that can be read through the gateway. {entity} stands for one of gatewayEntities,
// and {id} for a UUID. Everything else is refused, such as tokens, employees' tasks, webhooks, files and the audit.
var gatewayTemplates = []string{
	"context/employee", "context/usersettings", "context/companysettings",
	"context/companysettings/pricetype", "context/companysettings/pricetype/default", "context/companysettings/pricetype/{id}",
	"entity/{entity}", "entity/{entity}/{id}", "entity/{entity}/metadata", "entity/{entity}/metadata/attributes",
	"entity/{entity}/metadata/attributes/{id}", "entity/{entity}/metadata/states/{id}",
	"entity/{entity}/{id}/positions", "entity/{entity}/{id}/positions/{id}",
	"entity/organization/{id}/accounts", "entity/counterparty/{id}/accounts", "entity/counterparty/{id}/contactpersons",
	"entity/product/{id}/storebalances", "entity/variant/{id}/storebalances", "entity/bundle/{id}/components",
	"entity/customentity/{id}", "entity/customentity/{id}/{id}",
	"report/stock/all", "report/stock/all/current", "report/stock/bystore", "report/stock/bystore/current", "report/stock/byoperation",
	"report/byoperations/stock", "report/byoperations/reserve", "report/byoperations/intransit",
	"report/turnover/all", "report/turnover/bystore", "report/turnover/byoperations",
	"report/profit/byproduct", "report/profit/byvariant", "report/profit/byemployee",
	"report/profit/bycounterparty", "report/profit/bysaleschannel",
	"report/money/byaccount", "report/money/plotseries", "report/sales/plotseries", "report/orders/plotseries",
	"report/counterparty", "report/counterparty/{id}",
	"report/dashboard/day", "report/dashboard/week", "report/dashboard/month",
}

// gatewayPaths are the parts of gatewayTemplates.
var gatewayPaths = func() (all [][]string) {
	for _, template := range gatewayTemplates {
		all = append(all, strings.Split(template, "/"))
	}
	return all
}()

var gatewayEntities = []string{
	"assortment", "bundle", "cashin", "cashout", "commissionreportin", "commissionreportout", "consignment", "contract", "counterparty",
	"counterpartyadjustment", "country", "currency", "customerorder", "demand", "employee", "enter", "expenseitem", "facturein", "factureout",
	"group", "internalorder", "inventory", "invoicein", "invoiceout", "loss", "move", "organization", "paymentin", "paymentout", "prepayment",
	"prepaymentreturn", "pricelist", "processing", "processingorder", "processingplan", "product", "productfolder", "project", "purchaseorder",
	"purchasereturn", "region", "retaildemand", "retailsalesreturn", "retailshift", "retailstore", "retaildrawercashin", "retaildrawercashout",
	"saleschannel", "salesreturn", "service", "store", "supply", "taxrate", "uom", "variant",
}

// gatewayParameters are the query parameters that select and format results. async=true is not among them: it starts a task
// whose result is fetched outside the rate limit.
var gatewayParameters = []string{"limit", "offset", "search", "filter", "order", "expand", "fields", "groupBy", "momentFrom", "momentTo",
	"interval", "stockType", "include", "includeRelated", "changedSince", "withRecalculate", "operation.id"}

// connectionParameter is for the gateway itself and is not passed on.
const connectionParameter = "connection_id"

// gatewayPath decides what may be sent to the upstream. raw is the undecoded path after gateway/. The returned path matches
// a template.
func gatewayPath(raw string, query url.Values) (path string, passed url.Values, refused *problem.Problem) {
	if !isGatewayRead(raw) {
		return "", nil, pathRefused(raw)
	}
	var others []string
	for name, values := range query {
		switch {
		case name == connectionParameter:
		case !slices.Contains(gatewayParameters, name):
			others = append(others, name)
		default:
			if passed == nil {
				passed = url.Values{}
			}
			passed[name] = values
		}
	}
	if len(others) > 0 {
		return "", nil, problem.GatewayRefused(fmt.Sprintf("The gateway does not pass on the parameter %q.", slices.Min(others)),
			"It passes "+strings.Join(slices.Sorted(slices.Values(gatewayParameters)), ", ")+".")
	}
	return raw, passed, nil
}

// isGatewayRead reports whether a path matches a template. Such a path consists only of words from the templates, names from
// gatewayEntities and hexadecimal ids. It contains no escapes, dots, semicolons or backslashes, which other parsers could
// interpret differently.
func isGatewayRead(path string) bool {
	parts := strings.Split(path, "/")
	return slices.ContainsFunc(gatewayPaths, func(template []string) bool { return slices.EqualFunc(template, parts, fitsTemplate) })
}

func fitsTemplate(template, part string) bool {
	switch template {
	case "{entity}":
		return slices.Contains(gatewayEntities, part)
	case "{id}":
		return len(part) == 36 && uuid.Validate(part) == nil // other lengths are forms that the upstream does not use
	}
	return part == template
}

// pathRefused says which part of a path fits no template, and what can be there instead.
func pathRefused(path string) *problem.Problem {
	fitting := gatewayPaths
	parts := strings.Split(path, "/")
	for i, part := range parts {
		possible := nextParts(fitting, i)
		fitting = slices.DeleteFunc(slices.Clone(fitting), func(template []string) bool {
			return len(template) <= i || !fitsTemplate(template[i], part)
		})
		if len(fitting) == 0 {
			return problem.GatewayRefused(fmt.Sprintf("The gateway does not pass on %q in the path %q.", part, path), possible)
		}
	}
	return problem.GatewayRefused(fmt.Sprintf("The gateway does not pass on the path %q, because it is incomplete.", path),
		nextParts(fitting, len(parts)))
}

// nextParts is the hint that lists what the templates have at a place.
func nextParts(templates [][]string, place int) string {
	var possible []string
	for _, template := range templates {
		switch {
		case len(template) <= place:
		case template[place] == "{entity}":
			possible = append(possible, gatewayEntities...)
		case template[place] == "{id}":
			possible = append(possible, "an id of 36 characters")
		default:
			possible = append(possible, template[place])
		}
	}
	if len(possible) == 0 {
		return "Nothing can follow there."
	}
	slices.Sort(possible)
	return "Possible there: " + strings.Join(slices.Compact(possible), ", ") + ". Spell it as in the upstream's documentation, unescaped."
}

// passGet returns the upstream's own response. It uses the connection's token, and counts against its rate limit.
func (s *Server) passGet(ctx context.Context, r *request) (httpResponse, error) {
	path, passed, connectionID, err := r.gatewayRequest()
	if err != nil {
		return httpResponse{}, err
	}
	return s.readUpstream(ctx, r, connectionID, func(c *moysklad.Client) (moysklad.Raw, error) { return c.Get(ctx, path, passed) })
}

// gatewayRequest returns the path and query for the upstream, and the connection to use.
func (r *request) gatewayRequest() (path string, passed url.Values, connectionID string, err error) {
	if err := checkConnector(r.param("name")); err != nil {
		return "", nil, "", err
	}
	query, err := url.ParseQuery(string(r.fast.URI().QueryString()))
	if err != nil {
		return "", nil, "", problem.GatewayRefused("The query is malformed: "+err.Error()+".", "Escape it like a form, with %3B for a semicolon.")
	}
	path, passed, refused := gatewayPath(r.param("path"), query)
	if refused != nil {
		return "", nil, "", refused
	}
	if named := query[connectionParameter]; len(named) > 1 {
		return "", nil, "", problem.InvalidField(connectionParameter, "must be given once, got %q", named)
	}
	connectionID, err = r.connection(connectionParameter, query.Get(connectionParameter))
	return path, passed, connectionID, err
}

// passWrite turns a POST or PUT into a draft. It sends nothing to the upstream.
func (s *Server) passWrite(ctx context.Context, r *request) (httpResponse, error) {
	path, passed, connectionID, err := r.gatewayRequest()
	if err != nil {
		return httpResponse{}, err
	}
	if len(passed) > 0 {
		return httpResponse{}, problem.GatewayRefused("The gateway does not pass on parameters with a write.", "Send only the body.")
	}
	account, err := s.cfg.Accounts.OpenWithoutCache(ctx, r.caller, connectionID)
	if err != nil {
		return httpResponse{}, err
	}
	owner := drafts.Owner{Who: r.caller, ConnectionID: account.ConnectionID, AccountID: account.ID}
	var d drafts.Draft
	err = s.cfg.Accounts.Call(ctx, r.caller, account, func(account *tools.Account) (err error) {
		d, err = s.cfg.Drafts.Store.AddGateway(ctx, owner, account.Client, r.method(), path, r.fast.PostBody())
		return err
	})
	return acceptedResult(d, err)
}

// connection returns the connection that a field names, or else the one in X-Connection-Id.
func (r *request) connection(in, named string) (string, error) {
	inHeader, err := r.header("X-Connection-Id")
	switch {
	case err != nil:
		return "", err
	case named == "":
		return inHeader, nil
	case inHeader != "" && inHeader != named:
		return "", problem.InvalidField(in, "must be that of X-Connection-Id, or absent, got %q", named)
	}
	return named, nil
}

// readUpstream queries the upstream and returns its response unchanged. The response stays in memory until the client has read
// it, so the limit on the memory of bodies includes it.
func (s *Server) readUpstream(
	ctx context.Context, r *request, connectionID string, query func(*moysklad.Client) (moysklad.Raw, error),
) (httpResponse, error) {
	account, err := s.cfg.Accounts.OpenWithoutCache(ctx, r.caller, connectionID)
	if err != nil {
		return httpResponse{}, err
	}
	r.record.account = account.ID
	reserve := s.bodyMemory.reserveMore(r)
	var raw moysklad.Raw
	err = s.cfg.Accounts.Call(ctx, r.caller, account, func(account *tools.Account) (err error) {
		raw, err = query(account.Client.Reserving(reserve))
		r.record.upstreamCalls += account.Client.Calls()
		return err
	})
	if err != nil {
		return httpResponse{}, err
	}
	return upstreamResponse(raw), nil
}

// upstreamResponse passes on the body, and the content type if it is JSON. With any other type, a browser might run the
// upstream's content as a page of our origin. All other headers concern only the connection to the upstream.
func upstreamResponse(raw moysklad.Raw) httpResponse {
	contentType := cmp.Or(raw.ContentType, "application/json")
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		contentType = "text/plain; charset=utf-8"
	}
	return httpResponse{status: raw.Status, contentType: contentType, raw: raw.Body}
}
