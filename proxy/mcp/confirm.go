package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

// The form's name in the protocol, and its one field.
const (
	confirmation = "confirm"
	codeField    = "code"
)

// form asks the person at the client to type a draft's code: the draft is shown whole, and what is typed is the only thing
// that counts. Nil where there is no draft or the client shows no forms. What must come back with the code is the draft's
// id and the digest of what was shown.
func (s *Server) form(x *Exchange, req *sdk.CallToolRequest, result *tools.Result) *sdk.CallToolResult {
	d, drafted := result.Result.(drafts.Draft)
	if !drafted || !showsForms(req.ClientCapabilities()) {
		return nil
	}
	lang := x.language(req.Params.Arguments)
	return &sdk.CallToolResult{
		RequestState: d.ID + " " + d.Digest,
		InputRequests: sdk.InputRequestMap{confirmation: &sdk.ElicitParams{
			Mode:    "form",
			Message: render.Prepared(lang, result) + "\n" + fmt.Sprintf(formAsk.In(lang), d.Code),
			RequestedSchema: map[string]any{
				"type": "object",
				"properties": map[string]any{
					codeField: map[string]any{"type": "string", "title": formTitle.In(lang), "description": formHint.In(lang)},
				},
				"required": []string{codeField},
			},
		}},
	}
}

// The words of the form and of what came of it.
var (
	formAsk = bilingual.Text{
		RU: "Чтобы создать, введите ниже %s. Иначе ничего не будет записано.",
		EN: "To create it, type %s below. Nothing is written otherwise.",
	}
	formTitle    = bilingual.Text{RU: "Код черновика", EN: "Code of the draft"}
	formHint     = bilingual.Text{RU: "Точно как показано выше.", EN: "Exactly as shown above."}
	formDeclined = bilingual.Text{
		RU: "Ничего не записано: черновик не подтверждён. Он ждёт.",
		EN: "Nothing was written: the draft was not confirmed. It still waits.",
	}
	formOther = bilingual.Text{
		RU: "Ничего не записано: введён не код черновика. Он ждёт.",
		EN: "Nothing was written: what was typed is not the draft's code. It still waits.",
	}
)

// typed is what came of the form: the draft is created if a person typed its code.
func (s *Server) typed(ctx context.Context, x *Exchange, req *sdk.CallToolRequest) *sdk.CallToolResult {
	lang := x.language(req.Params.Arguments)
	id, digest, _ := strings.Cut(req.Params.RequestState, " ")
	d, err := s.cfg.Drafts.Store.Get(ctx, x.Caller.OrganizationID, id)
	if err != nil {
		return s.failed(ctx, lang, err)
	}
	answer, _ := req.Params.InputResponses[confirmation].(*sdk.ElicitResult)
	if answer == nil || answer.Action != "accept" {
		return said(formDeclined.In(lang), shown(lang, d.Result(s.cfg.Now())))
	}
	if code, _ := answer.Content[codeField].(string); strings.TrimSpace(code) != d.Code {
		return said(formOther.In(lang), shown(lang, d.Result(s.cfg.Now())))
	}
	if d, err = s.cfg.Drafts.Confirm(ctx, x.Caller, id, digest); err != nil {
		return s.failed(ctx, lang, err)
	}
	return shown(lang, d.Result(s.cfg.Now()))
}

// said puts a sentence before a result's text.
func said(sentence string, result *sdk.CallToolResult) *sdk.CallToolResult {
	result.Content = append([]sdk.Content{&sdk.TextContent{Text: sentence}}, result.Content...)
	return result
}
