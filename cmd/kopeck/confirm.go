package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/kopeck/kopeck/tools/drafts"
)

type confirmCommand struct {
	client
	Language language `env:"KOPECK_LANGUAGE" placeholder:"ru|en" help:"Output language; by default that of the terminal."`
	JSON     bool     `help:"Print the API's answer as JSON."`
	Code     string   `arg:"" help:"The code of the draft, such as PO-7K3M9X."`
}

// Run confirms a draft by its code and prints its new state.
func (c *confirmCommand) Run(ctx context.Context, p *program) error {
	c.errorLanguage = outputLanguage(c.Language)
	d, err := c.find(ctx)
	if err != nil {
		return err
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
	result, err := json.Marshal(d.Result(time.Now()))
	if err != nil {
		return err
	}
	return p.result(false, c.Language, "draft_"+string(d.Kind), result)
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
