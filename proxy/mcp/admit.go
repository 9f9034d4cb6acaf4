package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/encoded"
)

// requiredScopes maps each method to its scopes. A caller needs one of them. Methods that are not listed need only a valid
// key.
var requiredScopes = map[string][]keys.Scope{
	"tools/list":               {keys.ReadTools, keys.WriteTools},
	"tools/call":               {keys.WriteTools},
	"resources/list":           {keys.ReadData},
	"resources/templates/list": {keys.ReadData},
	"resources/read":           {keys.ReadData},
}

// codeServerError is one of the codes that JSON-RPC leaves to servers. The protocol does not use it.
const codeServerError = -32050

// authorize checks the caller's scopes, and cancels a method when its HTTP request ends or the client ends its session. It
// also turns panics into errors: with the SDK they would end the process.
func (s *Server) authorize(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		x := exchangeFor(req.GetExtra())
		ctx, end := withEnd(ctx, x.Context)
		defer end()
		if open, ok := s.openSessions.Load(x.sessionKey(req.GetSession().ID())); ok {
			ctx, end = withEnd(ctx, open.(openSession).ctx)
			defer end()
		}
		defer func() {
			if v := recover(); v != nil {
				s.cfg.Log.ErrorContext(ctx, "an MCP method panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
				err = s.protocolError(ctx, fmt.Errorf("panic: %v", v))
			}
		}()
		if scopes := requiredScopes[method]; scopes != nil && !slices.ContainsFunc(scopes, x.Caller.Can) {
			message := fmt.Sprintf("The key does not have the scope %s. Ask an admin for a key that has it.", scopes[0])
			return nil, &jsonrpc.Error{
				Code:    codeServerError,
				Message: message,
				Data:    encoded.JSON(map[string]string{"code": "AUTH_PERMISSION_DENIED", "message": message}),
			}
		}
		if method == "initialize" {
			s.keepSession(x, req.GetSession())
		}
		result, err = next(ctx, method, req)
		if sdkError, is := errors.AsType[*jsonrpc.Error](err); is { // the SDK's error; its message can quote input
			sdkError.Message = redact.Text(sdkError.Message)
		}
		return result, err
	}
}

// withEnd returns a context that also ends when other ends.
func withEnd(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// protocolError converts an error to one of the protocol.
func (s *Server) protocolError(ctx context.Context, err error) *jsonrpc.Error {
	r := s.cfg.PublicError(ctx, err, "en")
	return &jsonrpc.Error{Code: codeServerError, Message: r.Code + ": " + r.Message, Data: encoded.JSON(r.Detail)}
}
