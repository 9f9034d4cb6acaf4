package mcp

import (
	"cmp"
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/tools"
)

// row is an object that can be named in a tool's argument.
type row struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type noArguments struct{}

type rowList struct {
	Rows []row `json:"rows"`
}

// resourceTools are the tools that list valid names for arguments. The list of each is a resource.
var resourceTools = map[string]tools.Tool{
	"warehouses": tools.Define("warehouses", tools.Read, "The account's warehouses: the values of the argument warehouse.",
		func(ctx context.Context, c *tools.Run, _ noArguments) (rowList, error) {
			all, err := c.Stores(ctx)
			rows := make([]row, len(all))
			for i, store := range all {
				rows[i] = row{store.ID, store.Name}
			}
			return rowList{rows}, err
		}),
	"price-types": tools.Define("price_types", tools.Read, "The account's price types: the values of the argument price_type.",
		func(ctx context.Context, c *tools.Run, _ noArguments) (rowList, error) {
			all, err := c.Client.PriceTypes(ctx)
			rows := make([]row, len(all))
			for i, kind := range all {
				rows[i] = row{kind.ID, kind.Name}
			}
			return rowList{rows}, err
		}),
}

const (
	scheme          = "kopeck://"
	connectionsPath = "connections/"
)

// addResources adds each list in two forms: for the organization's only account, and for each connection.
func (s *Server) addResources(server *sdk.Server) {
	for name, list := range resourceTools {
		title := strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "-", " ")
		server.AddResource(&sdk.Resource{
			URI: scheme + name, Name: name, Title: title, Description: list.Description, MIMEType: "application/json",
		}, s.readResource)
		server.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: scheme + connectionsPath + "{connection_id}/" + name, Name: name + "-of-connection", Title: title + " of one connection",
			Description: list.Description, MIMEType: "application/json",
		}, s.readResource)
	}
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	x := exchangeFor(req.Extra)
	connectionID, name := x.ConnectionID, strings.TrimPrefix(req.Params.URI, scheme)
	if rest, of := strings.CutPrefix(name, connectionsPath); of {
		var id string
		id, name, _ = strings.Cut(rest, "/")
		connectionID = cmp.Or(id, connectionID)
	}
	list, known := resourceTools[name]
	if !known {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	on, err := s.cfg.Accounts.Open(ctx, x.Caller, connectionID)
	if err != nil {
		return nil, s.protocolError(ctx, err)
	}
	result, err := s.cfg.Accounts.Execute(ctx, x.Caller, list, on, nil)
	if err != nil {
		return nil, s.protocolError(ctx, err)
	}
	x.OnToolRun(result)
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
		URI: req.Params.URI, MIMEType: "application/json", Text: string(visibleJSON(result.Result)),
	}}}, nil
}
