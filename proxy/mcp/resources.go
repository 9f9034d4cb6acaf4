package mcp

import (
	"cmp"
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/tools"
)

// named is one thing that an argument of a tool can name.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type nothing struct{}

type names struct {
	Rows []named `json:"rows"`
}

// lists are the resources: names that arguments take, read in the same way as a tool's figures.
var lists = map[string]tools.Tool{
	"warehouses": tools.Define("warehouses", tools.Read, "The account's warehouses: what an argument warehouse can name.",
		func(ctx context.Context, c *tools.Call, _ nothing) (names, error) {
			all, err := c.Stores(ctx)
			rows := make([]named, len(all))
			for i, store := range all {
				rows[i] = named{store.ID, store.Name}
			}
			return names{rows}, err
		}),
	"price-types": tools.Define("price_types", tools.Read, "The account's price types: what an argument price_type can name.",
		func(ctx context.Context, c *tools.Call, _ nothing) (names, error) {
			all, err := c.Client.PriceTypes(ctx)
			rows := make([]named, len(all))
			for i, kind := range all {
				rows[i] = named{kind.ID, kind.Name}
			}
			return names{rows}, err
		}),
}

const (
	scheme     = "kopeck://"
	connection = "connections/"
)

// offerResources offers each list for the organization's only account, and by connection.
func (s *Server) offerResources(server *sdk.Server) {
	for name, list := range lists {
		title := strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "-", " ")
		server.AddResource(&sdk.Resource{
			URI: scheme + name, Name: name, Title: title, Description: list.Description, MIMEType: "application/json",
		}, s.read)
		server.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: scheme + connection + "{connection_id}/" + name, Name: name + "-of-connection", Title: title + " of one connection",
			Description: list.Description, MIMEType: "application/json",
		}, s.read)
	}
}

func (s *Server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	x := exchangeOf(req.Extra)
	connectionID, name := x.ConnectionID, strings.TrimPrefix(req.Params.URI, scheme)
	if rest, of := strings.CutPrefix(name, connection); of {
		var id string
		id, name, _ = strings.Cut(rest, "/")
		connectionID = cmp.Or(id, connectionID)
	}
	list, known := lists[name]
	if !known {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	on, err := s.cfg.Accounts.Open(ctx, x.Caller, connectionID)
	if err != nil {
		return nil, s.refused(ctx, err)
	}
	result, err := s.cfg.Accounts.Execute(ctx, x.Caller, list, on, nil)
	if err != nil {
		return nil, s.refused(ctx, err)
	}
	x.Ran(result)
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
		URI: req.Params.URI, MIMEType: "application/json", Text: string(visible(result.Result)),
	}}}, nil
}
