package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
)

// needed is which scope a message takes; one of those named is enough. Others take any key.
var needed = map[string][]keys.Scope{
	"tools/list":               {keys.ReadTools, keys.WriteTools},
	"tools/call":               {keys.WriteTools},
	"resources/list":           {keys.ReadData},
	"resources/templates/list": {keys.ReadData},
	"resources/read":           {keys.ReadData},
}

// codeRefused is of JSON-RPC's range for servers, and none of the protocol's own.
const codeRefused = -32050

// admitting holds each message against its sender's scopes, and ends its work with the HTTP request that brought it. A
// panic becomes an error: the SDK would let it end the process.
func (s *Server) admitting(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		x := exchangeOf(req.GetExtra())
		ctx, end := within(ctx, x.Context)
		defer end()
		defer func() {
			if v := recover(); v != nil {
				s.cfg.Log.ErrorContext(ctx, "mcp panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
				err = s.refused(ctx, fmt.Errorf("panic: %v", v))
			}
		}()
		if any := needed[method]; any != nil && !slices.ContainsFunc(any, x.Caller.Can) {
			message := fmt.Sprintf("The key does not have the scope %s. Ask an admin for a key that has it.", any[0])
			return nil, &jsonrpc.Error{
				Code:    codeRefused,
				Message: message,
				Data:    encoded(map[string]string{"code": "AUTH_PERMISSION_DENIED", "message": message}),
			}
		}
		if method == "initialize" {
			x.begin(req.GetSession(), s.cfg.Log)
		}
		result, err = next(ctx, method, req)
		if told, is := errors.AsType[*jsonrpc.Error](err); is { // the SDK's words quote what was sent
			told.Message = redact.Text(told.Message)
		}
		return result, err
	}
}

// within is ctx, ended also with other.
func within(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// refused is an error as an error of the protocol.
func (s *Server) refused(ctx context.Context, err error) *jsonrpc.Error {
	r := s.cfg.Refusal(ctx, err, "en")
	return &jsonrpc.Error{Code: codeRefused, Message: r.Code + ": " + r.Message, Data: encoded(r.Detail)}
}

// encoded is a value of ours as JSON.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return text
}
