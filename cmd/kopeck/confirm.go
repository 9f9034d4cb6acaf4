package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

type confirmCommand struct {
	client
	Language language `env:"KOPECK_LANGUAGE" placeholder:"ru|en" help:"Output language; by default that of the terminal."`
	JSON     bool     `help:"Print the API's answer as JSON."`
	Yes      bool     `help:"Confirm without showing the draft and asking for its code again; needed unless standard input is a terminal."`
	Code     string   `arg:"" help:"The code of the draft, such as PO-7K3M9X."`
}

// Run shows a draft, lets the person at the terminal type its code, confirms it, and prints its new state.
func (c *confirmCommand) Run(ctx context.Context, p *program) error {
	c.errorLanguage = outputLanguage(c.Language)
	d, err := c.find(ctx)
	if err != nil {
		return err
	}
	if d.State == drafts.Drafted && !c.Yes {
		if err := c.ask(ctx, p, d); err != nil {
			return err
		}
	}
	status := p.status(d.Code)
	defer status.End()
	answer, err := c.post(ctx, "/api/v1/drafts/"+url.PathEscape(d.ID)+"/confirm", map[string]string{"digest": d.Digest})
	if err != nil {
		return err
	}
	status.End()
	if c.JSON {
		_, err = p.Out.Write(answer)
		return err
	}
	if err := decodeAnswer(answer, &d); err != nil {
		return err
	}
	return c.show(p, d.Result(time.Now()))
}

// ask shows a draft with its notes on standard error. It returns an error unless the person at the terminal then types the draft's code.
func (c *confirmCommand) ask(ctx context.Context, p *program, d drafts.Draft) error {
	preview := d.Result(d.CreatedAt)
	preview.Notes = d.Notes
	if err := c.show(&program{Out: p.Err}, preview); err != nil {
		return err
	}
	if _, ok := p.inputTerminal(); !ok {
		return errors.New(notAsked.In(c.errorLanguage))
	}
	fmt.Fprintf(p.Err, "\n"+askCode.In(c.errorLanguage), d.Code)
	typed, err := interruptible(ctx, func() ([]byte, error) { return bufio.NewReader(p.In).ReadBytes('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the code: %w", err)
	}
	if !strings.EqualFold(strings.TrimSpace(string(typed)), d.Code) {
		return errors.New(otherCode.In(c.errorLanguage))
	}
	return nil
}

var (
	askCode = bilingual.Text{
		RU: "Чтобы записать это в учёт, введите %s: ",
		EN: "To write this to the books, type %s: ",
	}
	notAsked = bilingual.Text{
		RU: "ничего не записано: код вводит человек в терминале, а стандартный ввод не терминал; --yes нужен только скриптам",
		EN: "nothing was written: a person types the code at a terminal, and standard input is none; --yes is only for scripts",
	}
	otherCode = bilingual.Text{
		RU: "ничего не записано: введён не код черновика, он ждёт",
		EN: "nothing was written: that is not the draft's code; the draft is still waiting",
	}
)

// show prints a draft in words.
func (c *confirmCommand) show(p *program, draft *tools.Result) error {
	encoded, err := json.Marshal(draft)
	if err != nil {
		return err
	}
	return p.result(false, c.Language, draft.Tool, encoded)
}

// find returns the draft with the code. It returns an error in the unlikely case that two drafts have the same code.
func (c *confirmCommand) find(ctx context.Context) (drafts.Draft, error) {
	var found []drafts.Draft
	for cursor := ""; ; {
		var page struct {
			Data       []drafts.Draft `json:"data"`
			NextCursor *string        `json:"next_cursor"`
		}
		if err := c.get(ctx, "/api/v1/drafts?limit=100&cursor="+url.QueryEscape(cursor), &page); err != nil {
			return drafts.Draft{}, err
		}
		for _, d := range page.Data {
			if strings.EqualFold(d.Code, c.Code) {
				found = append(found, d)
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	switch len(found) {
	case 0:
		if c.errorLanguage == "ru" {
			return drafts.Draft{}, fmt.Errorf("нет черновика с кодом «%s»", c.Code)
		}
		return drafts.Draft{}, fmt.Errorf("there is no draft with the code %q", c.Code)
	case 1:
		return found[0], nil
	}
	return drafts.Draft{}, fmt.Errorf(
		"%d drafts have the code %s: confirm one by its id, with POST /api/v1/drafts/{id}/confirm", len(found), c.Code,
	)
}
