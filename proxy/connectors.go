package proxy

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// connectorsText describes the upstream systems. So far there is only one.
//
//go:embed connectors.json
var connectorsText []byte

// connectorType is an upstream system with the actions that read from it directly.
type connectorType struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Actions []action `json:"actions"`
}

// action reads one kind of the upstream's objects.
type action struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Result      json.RawMessage `json:"result"`
	schema      func() *check.Schema
}

// upstreamObject is the schema of every action's result.
var upstreamObject = json.RawMessage(`{"type":["object","array"],"description":"the upstream's own answer, amounts in kopecks"}`)

func readConnectors() connectorType {
	var c connectorType
	if err := json.Unmarshal(connectorsText, &c); err != nil {
		panic(fmt.Sprintf("connectors.json: %v", err))
	}
	for i := range c.Actions {
		c.Actions[i].schema = sync.OnceValue(c.Actions[i].compiled)
		c.Actions[i].Result = upstreamObject
	}
	return c
}

func (a action) compiled() *check.Schema {
	document, err := check.NewDocument(a.Parameters)
	var schema *check.Schema
	if err == nil {
		schema, err = document.At("")
	}
	if err != nil {
		panic(fmt.Sprintf("connectors.json, %s: %v", a.Name, err))
	}
	return schema
}

func checkConnector(name string) error {
	if name != connectorName {
		return problem.NotFound(fmt.Sprintf("There is no connector %q; there is %s", name, connectorName))
	}
	return nil
}

func (s *Server) listConnectors(_ context.Context, r *request) (httpResponse, error) {
	return pageOf(r, []connectorType{s.connector})
}

func (s *Server) getConnector(_ context.Context, r *request) (httpResponse, error) {
	if err := checkConnector(r.param("name")); err != nil {
		return httpResponse{}, err
	}
	return ok(s.connector)
}

func (s *Server) executeAction(ctx context.Context, r *request) (httpResponse, error) {
	if err := checkConnector(r.param("name")); err != nil {
		return httpResponse{}, err
	}
	action, err := s.findAction(r.param("action"))
	if err != nil {
		return httpResponse{}, err
	}
	arguments, connectionID, err := r.executeBody()
	if err != nil {
		return httpResponse{}, err
	}
	path, query, err := action.upstreamTarget(arguments)
	if err != nil {
		return httpResponse{}, err
	}
	return s.readUpstream(ctx, r, connectionID, func(c *moysklad.Client) (moysklad.Raw, error) { return c.Object(ctx, path, query) })
}

func (s *Server) findAction(name string) (action, error) {
	for _, a := range s.connector.Actions {
		if a.Name == name {
			return a, nil
		}
	}
	return action{}, problem.NotFoundIn("GET /api/v1/connectors/moysklad lists the actions.", fmt.Sprintf("There is no action %q", name))
}

// actionArguments has the arguments of all actions. The schema of an action says which it accepts.
type actionArguments struct {
	Kind, ID, Report       string
	Search, Filter, Expand string
	From, To, Interval     string
	Limit, Offset          int
}

// upstreamTarget returns the upstream path and query of the action.
func (a action) upstreamTarget(raw json.RawMessage) (path string, query url.Values, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	args := actionArguments{Limit: 100}
	problems := a.schema().Problems(raw)
	if len(problems) == 0 {
		problems = check.Decode(raw, &args)
	}
	if len(problems) > 0 {
		for _, p := range problems {
			p.Field = strings.TrimSuffix("arguments."+p.Field, ".") // its place in the body
		}
		return "", nil, problem.InvalidValues(problems)
	}
	return a.path(args), args.query(), nil
}

func (a action) path(args actionArguments) string {
	switch a.Name {
	case "organizations":
		return "entity/organization"
	case "stores":
		return "entity/store"
	case "products":
		return "entity/product"
	case "counterparties":
		return "entity/counterparty"
	case "documents":
		if args.ID != "" {
			return "entity/" + args.Kind + "/" + args.ID
		}
		return "entity/" + args.Kind
	default:
		return "report/" + args.Report
	}
}

func (args actionArguments) query() url.Values {
	q := url.Values{}
	add := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	add("search", args.Search)
	add("filter", args.Filter)
	add("expand", args.Expand)
	add("interval", args.Interval)
	if args.From != "" {
		q.Set("momentFrom", args.From+" 00:00:00")
	}
	if args.To != "" {
		q.Set("momentTo", args.To+" 23:59:59")
	}
	if args.ID == "" {
		q.Set("limit", strconv.Itoa(args.Limit))
		q.Set("offset", strconv.Itoa(args.Offset))
	}
	if args.Kind != "" && args.ID == "" {
		q.Set("order", "moment,desc")
	}
	return q
}
