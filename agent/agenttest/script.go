package agenttest

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// Say answers with a text, word by word.
func Say(text string) Turn {
	return func(r *Reply) {
		for _, word := range strings.SplitAfter(text, " ") {
			r.Text(word)
		}
		r.Finish()
	}
}

// Call is a call of a tool. Arguments is JSON text; it may be invalid on purpose.
type Call struct{ Tool, Arguments string }

// CallTools calls several tools in one turn. The ids of the calls are call_1, call_2 and so on.
func CallTools(calls ...Call) Turn {
	return func(r *Reply) {
		for i, call := range calls {
			r.Call(fmt.Sprintf("call_%d", i+1), call.Tool, call.Arguments)
		}
		r.Finish()
	}
}

// Refuse answers with a status and an error body.
func Refuse(status int, header http.Header, body string) Turn {
	return func(r *Reply) {
		maps.Copy(r.W.Header(), header)
		r.W.WriteHeader(status)
		fmt.Fprint(r.W, body)
	}
}

// Stream sends one event with each of the given data, unchanged, and then ends.
func Stream(data ...string) Turn {
	return func(r *Reply) {
		for _, d := range data {
			r.event(d)
		}
	}
}

// Paced sends one piece of text for each value that it receives from next, and ends when next is closed.
func Paced(next <-chan string) Turn {
	return func(r *Reply) {
		for {
			select {
			case piece, more := <-next:
				if !more {
					r.Finish()
					return
				}
				r.Text(piece)
			case <-r.Gone:
				return
			}
		}
	}
}

// Hang sends a piece of text, and then nothing until the client disconnects; then it closes left.
func Hang(piece string, left chan<- struct{}) Turn {
	return func(r *Reply) {
		if piece != "" {
			r.Text(piece)
		}
		<-r.Gone
		close(left)
	}
}
