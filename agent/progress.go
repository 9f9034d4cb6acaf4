package agent

import (
	"fmt"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// progressEvery is how often a running call reports progress: often enough to see it move, too seldom to fill a screen.
const progressEvery = 3 * time.Second

// following is a running call of a turn.
type following struct {
	call    openai.ToolCall
	account *tools.Account
	calls   func() (sent, coming int)
	began   time.Time
	told    int // requests when it was last told of
	over    bool
}

func (r *run) follow(calls []openai.ToolCall) []*following {
	all := make([]*following, len(calls))
	for i, call := range calls {
		account, sent := r.account.Followed()
		all[i] = &following{call: call, account: account, calls: sent, began: r.Now()}
	}
	return all
}

// tellProgress tells of the calls that have got on since.
func (r *run) tellProgress(all []*following) error {
	for _, f := range all {
		sent, coming := f.calls()
		if f.over || sent == f.told {
			continue
		}
		f.told = sent
		if err := r.out.emit(progress(r.lang, f.call, sent, coming, r.Now().Sub(f.began))); err != nil {
			return err
		}
	}
	return nil
}

// progress is the report on a call after so many requests. It assumes that the rest will be as quick as those.
func progress(lang string, call openai.ToolCall, sent, coming int, took time.Duration) ToolProgress {
	p := ToolProgress{CallID: call.ID, Made: sent, Known: sent + coming}
	if coming > 0 {
		p.Left = (took * time.Duration(coming) / time.Duration(sent)).Round(time.Second)
	}
	p.Text = fmt.Sprintf(callsMade.In(lang), call.Function.Name, p.Made)
	if coming > 0 {
		p.Text = fmt.Sprintf(callsLeft.In(lang), call.Function.Name, p.Made, p.Known, int(p.Left.Seconds()))
	}
	return p
}

var (
	callsMade = bilingual.Text{RU: "… %s: запросов в МойСклад: %d", EN: "… %s: %d requests to MoySklad"}
	callsLeft = bilingual.Text{RU: "… %s: запрос %d из %d, ещё около %d с", EN: "… %s: request %d of %d, about %d s left"}
)
