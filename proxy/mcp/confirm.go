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

// The name of the form in the protocol, and of its only field.
const (
	formName  = "confirm"
	codeField = "code"
)

// confirmationForm asks the person who uses the client to type the draft's code. It returns nil if the result is not a
// draft or the client cannot show forms. The request state contains the draft's id and the digest of what was shown, so
// that the form cannot confirm anything else.
func (s *Server) confirmationForm(x *Exchange, req *sdk.CallToolRequest, result *tools.Result) *sdk.CallToolResult {
	d, drafted := result.Result.(drafts.Draft)
	if !drafted || !showsForms(req.ClientCapabilities()) {
		return nil
	}
	lang := x.language(req.Params.Arguments)
	return &sdk.CallToolResult{
		RequestState: d.ID + " " + d.Digest,
		InputRequests: sdk.InputRequestMap{formName: &sdk.ElicitParams{
			Mode:    "form",
			Message: render.ResultWithoutCommands(lang, result) + "\n" + fmt.Sprintf(formAsk.In(lang), d.Code),
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

// The texts of the form and its outcome.
var (
	formAsk = bilingual.Text{
		RU: "Чтобы записать, введите ниже %s. Иначе ничего не будет записано.",
		EN: "To write it, type %s below. Otherwise nothing is written.",
	}
	formTitle    = bilingual.Text{RU: "Код черновика", EN: "Code of the draft"}
	formHint     = bilingual.Text{RU: "Точно как показано выше.", EN: "Exactly as shown above."}
	formDeclined = bilingual.Text{
		RU: "Ничего не записано: черновик не подтверждён. Он ждёт.",
		EN: "Nothing was written: the draft was not confirmed. It is still waiting.",
	}
	formWrongCode = bilingual.Text{
		RU: "Ничего не записано: введён не код черновика. Он ждёт.",
		EN: "Nothing was written: you did not type the draft's code. It is still waiting.",
	}
)

// confirmTyped confirms the draft if the person has typed its code.
func (s *Server) confirmTyped(ctx context.Context, x *Exchange, req *sdk.CallToolRequest) *sdk.CallToolResult {
	lang := x.language(req.Params.Arguments)
	id, digest, _ := strings.Cut(req.Params.RequestState, " ")
	d, err := s.cfg.Drafts.Store.Get(ctx, x.Caller.OrganizationID, id)
	if err != nil {
		return s.errorResult(ctx, lang, err)
	}
	answer, _ := req.Params.InputResponses[formName].(*sdk.ElicitResult)
	refused := bilingual.Text{}
	if answer == nil || answer.Action != "accept" {
		refused = formDeclined
	} else if code, _ := answer.Content[codeField].(string); strings.TrimSpace(code) != d.Code {
		refused = formWrongCode
	}
	if refused != (bilingual.Text{}) {
		if d.State != drafts.Drafted { // decided elsewhere while the form was open
			refused = render.NoLongerWaiting
		}
		return withSentence(refused.In(lang), resultFor(lang, d.Result(s.cfg.Now())))
	}
	if d, err = s.cfg.Drafts.Confirm(ctx, x.Caller, id, digest); err != nil {
		return s.errorResult(ctx, lang, err)
	}
	return resultFor(lang, d.Result(s.cfg.Now()))
}

// withSentence puts a sentence before a result's text.
func withSentence(sentence string, result *sdk.CallToolResult) *sdk.CallToolResult {
	result.Content = append([]sdk.Content{&sdk.TextContent{Text: sentence}}, result.Content...)
	return result
}
