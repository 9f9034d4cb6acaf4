package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"
)

// streamEvents is the number of events with text in a scripted stream. Three more follow at its end.
const streamEvents = 50

// The scripted model obeys these words in a question.
const (
	slowWord = "SLOWLY" // never end, and send one event a second
	hangWord = "HANG"   // begin an answer, and then wait until the client disconnects
	onceWord = "ATONCE" // send all events at once
)

const wholeAnswer = `{"id":"c","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,"message":{"role":"assistant",` +
	`"content":"%s","refusal":null},"finish_reason":"stop","logprobs":null}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`

func chunkOf(delta, finish string) string {
	return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":` + delta +
		`,"finish_reason":` + finish + `}]}` + "\n\n"
}

var (
	opening  = chunkOf(`{"role":"assistant","content":""}`, "null")
	word     = chunkOf(`{"content":"word "}`, "null")
	closing  = chunkOf(`{}`, `"stop"`)
	usage    = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n"
	done     = "data: [DONE]\n\n"
	toolCall = chunkOf(`{"tool_calls":[{"index":0,"id":"call_1","type":"function",`+
		`"function":{"name":"search_products","arguments":"{\"query\":\"only\"}"}}]}`, "null") + chunkOf(`{}`, `"tool_calls"`) + usage + done
	answered = opening + chunkOf(`{"content":"There is one product: "}`, "null") +
		chunkOf(`{"content":"{{R1.rows[1].name}}."}`, "null") + closing + usage + done
)

// askedPath is where the model reports how many requests the agents have sent, and how many bytes.
const askedPath = "/asked"

// serveModel serves a model that obeys the words in the question.
func serveModel(at string) error {
	var hanging, turns, prompts atomic.Int64
	whole := fmt.Sprintf(wholeAnswer, strings.Repeat("word ", 150))
	return listen(at, func(c *fasthttp.RequestCtx) {
		body := c.PostBody()
		has := func(word string) bool { return bytes.Contains(body, []byte(word)) }
		streamed := has(`"stream":true`)
		if has(`"name":"search_products"`) {
			turns.Add(1)
			prompts.Add(int64(len(body)))
		}
		switch {
		case string(c.Path()) == askedPath:
			fmt.Fprint(c, turns.Load(), prompts.Load())
		case !c.IsPost():
			fmt.Fprint(c, hanging.Load())
		case has(hangWord):
			hanging.Add(1)
			if streamed {
				stream(c, &script{open: true, pause: time.Hour, events: []string{opening}, left: func() { hanging.Add(-1) }, conn: c.Conn()})
				return
			}
			_, _ = c.Conn().Read(make([]byte, 1)) // returns when the other side closes
			hanging.Add(-1)
		case has(slowWord):
			stream(c, &script{open: true, pause: time.Second, events: []string{word}})
		case has(`"role":"tool"`):
			stream(c, &script{events: []string{answered}})
		case has(`"name":"search_products"`):
			stream(c, &script{events: []string{toolCall}})
		case streamed:
			events := append([]string{opening}, strings.SplitAfter(strings.Repeat(word, streamEvents), "\n\n")[:streamEvents]...)
			events = append(events, closing, done)
			if has(onceWord) {
				stream(c, strings.NewReader(strings.Join(events, "")))
				return
			}
			stream(c, &script{events: events})
		default:
			c.SetContentType("application/json")
			c.SetBodyString(whole)
		}
	})
}

func stream(c *fasthttp.RequestCtx, s io.Reader) {
	c.SetContentType("text/event-stream")
	c.Response.ImmediateHeaderFlush = true
	c.SetBodyStream(s, -1)
}

// script is a stream that returns one event per read.
type script struct {
	events []string
	open   bool          // never ends
	pause  time.Duration // before each event except the first
	at     int
	conn   io.Reader // its Read returns when the client disconnects; nil if it is enough that a write then fails
	left   func()
}

func (s *script) Read(p []byte) (int, error) {
	if s.at > 0 && s.conn != nil {
		_, err := s.conn.Read(make([]byte, 1))
		return 0, err
	}
	if s.at > 0 {
		time.Sleep(s.pause)
	}
	if !s.open && s.at == len(s.events) {
		return 0, io.EOF
	}
	n := copy(p, s.events[s.at%len(s.events)])
	s.at++
	return n, nil
}

func (s *script) Close() error {
	if s.left != nil {
		s.left()
	}
	return nil
}

// serveUpstream serves accounts with one row of each kind. Each token belongs to a different account.
func serveUpstream(at string) error {
	return listen(at, func(c *fasthttp.RequestCtx) {
		c.SetContentType("application/json;charset=utf-8")
		c.Response.Header.Set("X-RateLimit-Limit", "45")
		c.Response.Header.Set("X-RateLimit-Remaining", "44") // as if each call cost one unit
		account := sha256.Sum256(c.Request.Header.Peek("Authorization"))
		id := uuid.UUID(account[:16]).String()
		switch path := string(c.Path()); {
		case strings.HasSuffix(path, "/context/employee"):
			fmt.Fprintf(c, `{"id":"%s","accountId":"%s","uid":"admin@bench","name":"Admin","permissions":{}}`, id, id)
		default:
			kind := path[strings.LastIndexByte(path, '/')+1:]
			fmt.Fprintf(c, `{"meta":{"href":"https://x/%s","type":"%s","size":1,"limit":1000,"offset":0},"rows":[{"meta":{"href":"https://x/entity/%s/%s",`+
				`"type":"%s"},"id":"%s","accountId":"%s","name":"Only one","archived":false,"default":true,"isoCode":"RUB","pathName":"","description":"%s"}]}`,
				kind, kind, kind, id, kind, id, id, strings.Repeat("text ", 120))
		}
	})
}

// serveBare serves a minimal proxy: fasthttp's server and client, which pass bodies on unchanged.
func serveBare(at, to string) error {
	client := &fasthttp.HostClient{Addr: to, MaxConns: 1 << 16, StreamResponseBody: true}
	return listen(at, func(c *fasthttp.RequestCtx) {
		request := fasthttp.AcquireRequest()
		defer fasthttp.ReleaseRequest(request)
		c.Request.Header.CopyTo(&request.Header)
		request.SetRequestURI("http://" + to + string(c.RequestURI()))
		request.SetBodyRaw(c.PostBody())
		response := &fasthttp.Response{StreamBody: true}
		if err := client.Do(request, response); err != nil {
			c.Error(err.Error(), fasthttp.StatusBadGateway)
			return
		}
		c.SetStatusCode(response.StatusCode())
		c.SetContentTypeBytes(response.Header.ContentType())
		if !bytes.HasPrefix(response.Header.ContentType(), []byte("text/event-stream")) {
			c.SetBody(response.Body())
			return
		}
		c.Response.ImmediateHeaderFlush = true
		c.SetBodyStream(response.BodyStream(), -1)
	})
}

func listen(at string, h fasthttp.RequestHandler) error {
	return (&fasthttp.Server{Handler: h, NoDefaultServerHeader: true, ReadBufferSize: 8 << 10}).ListenAndServe(at)
}
