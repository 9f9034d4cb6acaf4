package agent

import (
	"fmt"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// progressEvery is how often a running call reports progress.
const progressEvery = 3 * time.Second

type runningCall struct {
	call     openai.ToolCall
	account  *tools.Account
	calls    func() (sent, remaining int)
	began    time.Time
	reported int // requests at the last event
	ended    bool
}

func (r *run) trackCalls(calls []openai.ToolCall) []*runningCall {
	all := make([]*runningCall, len(calls))
	for i, call := range calls {
		account, sent := r.account.WithProgress()
		all[i] = &runningCall{call: call, account: account, calls: sent, began: r.Now()}
	}
	return all
}

// reportProgress emits the progress of the calls that have sent requests since the last time.
func (r *run) reportProgress(all []*runningCall) error {
	for _, f := range all {
		sent, remaining := f.calls()
		if f.ended || sent == f.reported {
			continue
		}
		f.reported = sent
		if err := r.out.emit(progress(r.lang, f.call, sent, remaining, r.Now().Sub(f.began))); err != nil {
			return err
		}
	}
	return nil
}

// progress describes a call. The remaining time assumes that the remaining requests take as long as the earlier ones.
func progress(lang string, call openai.ToolCall, sent, remaining int, took time.Duration) ToolProgress {
	p := ToolProgress{CallID: call.ID, Sent: sent, Total: sent + remaining}
	if remaining > 0 {
		p.Remaining = (took * time.Duration(remaining) / time.Duration(sent)).Round(time.Second)
	}
	p.Text = fmt.Sprintf(requestsSent.In(lang), call.Function.Name, p.Sent)
	if remaining > 0 {
		p.Text = fmt.Sprintf(requestsLeft.In(lang), call.Function.Name, p.Sent, p.Total, int(p.Remaining.Seconds()))
	}
	return p
}

var (
	requestsSent = bilingual.Text{RU: "… %s: запросов в МойСклад: %d", EN: "… %s: %d requests to MoySklad"}
	requestsLeft = bilingual.Text{RU: "… %s: запрос %d из %d, ещё около %d с", EN: "… %s: request %d of %d, about %d s left"}
)
