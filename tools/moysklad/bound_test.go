package moysklad_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// bomb returns a gzip stream of about 2 MB that unpacks to before, followed by copies of part up to 2 GiB. It
// compresses part once and repeats the result: a gzip stream may have several members.
func bomb(before, part string) []byte {
	const size, member = 2 << 30, 16 << 20
	pack := func(text string) []byte {
		var out bytes.Buffer
		z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
		_, _ = z.Write([]byte(text))                            // cannot fail: it writes to memory
		_ = z.Close()
		return out.Bytes()
	}
	return append(pack(before), bytes.Repeat(pack(strings.Repeat(part, member/len(part))), size/member)...)
}

func explodes(status int, packed []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		_, _ = w.Write(packed) // fails when the client disconnects
	}
}

// readers are all functions of the client that read an answer, by name.
var readers = map[string]func(context.Context, *moysklad.Client) error{
	"a list": func(ctx context.Context, c *moysklad.Client) error {
		_, err := collect(moysklad.List[moysklad.Product](ctx, c, "product", moysklad.Query{}))
		return err
	},
	"documents": func(ctx context.Context, c *moysklad.Client) error {
		_, err := collect(c.Documents(ctx, "demand", moysklad.Query{Expand: []string{"positions"}}))
		return err
	},
	"a short report": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.CurrentStock(ctx, moysklad.PhysicalStock, moysklad.Query{})
		return err
	},
	"a report of one page": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.MoneyByAccount(ctx)
		return err
	},
	"one object": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.Employee(ctx)
		return err
	},
	"a bare array": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.PriceTypes(ctx)
		return err
	},
	"a list without pages": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.States(ctx, "demand")
		return err
	},
	"the gateway": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.Get(ctx, "entity/product", nil)
		return err
	},
	"an object": func(ctx context.Context, c *moysklad.Client) error {
		_, err := c.Object(ctx, "entity/product", nil)
		return err
	},
	"the created document": func(ctx context.Context, c *moysklad.Client) error {
		_, err := (&moysklad.Writer{Client: c}).Create(ctx, "demand", json.RawMessage(`{"syncId":"1"}`))
		return err
	},
	"the updated entity": func(ctx context.Context, c *moysklad.Client) error {
		_, err := (&moysklad.Writer{Client: c}).Update(ctx, "product", "1", json.RawMessage(`{}`))
		return err
	},
}

// No reader reads or stores all of an answer that unpacks to 2 GiB. With -short, the test sends only the answers that
// every reader rejects early. With the race detector, the others are twenty times slower, and they test the same code.
func TestAnAnswerThatUnpacksToGigabytesIsAnErrorInBoundedMemory(t *testing.T) {
	const most = 256 << 20 // bytes allocated in total: the limit of a page, plus a buffer that doubles until it reaches that limit
	filler := strings.Repeat("x", 1000)
	for name, body := range map[string]struct{ before, part string }{
		"spaces":                 {``, `                `},
		"a text":                 {`{"rows":[{"name":"`, `xxxxxxxxxxxxxxxx`},
		"a text of many escapes": {`{"rows":[{"name":"`, `\"\"\"\"\"\"\"\"`},
		"a field name":           {`{"`, `xxxxxxxxxxxxxxxx`},
		"a number":               {`{"meta":{"size":`, `1111111111111111`},
		"empty rows":             {`{"meta":{"size":9},"rows":[{}`, `,{},{},{},{},{} `},
		"rows that are null":     {`{"meta":{"size":9},"rows":[null`, `,null   ,null   `},
		"a top-level array":      {`[{}`, `,{},{},{},{},{} `},
		"an ignored field":       {`{"other":[{}`, `,{},{},{},{},{} `},
		"large rows":             {`{"meta":{"size":9},"rows":[{"id":"1"}`, `,{"id":"1","name":"` + filler + `"}`},
		"lists in a row":         {`{"rows":[{"positions":{"rows":[{"quantity":1}`, `,{},{},{},{},{} `},
		"a document's lines":     {`{"id":"1","demands":[{}`, `,{},{},{},{},{} `},
		"states":                 {`{"states":[{}`, `,{},{},{},{},{} `},
		"deeply nested lists":    {`[`, `[[[[[[[[[[[[[[[[`},
	} {
		if testing.Short() && name != "spaces" && name != "a text" {
			continue
		}
		packed := bomb(body.before, body.part)
		for reader, read := range readers {
			for _, status := range []int{200, 400} {
				if status == 400 && name != "spaces" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", name, reader, status), func(t *testing.T) {
					_, c := serve(t, explodes(status, packed))
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					err := read(t.Context(), c)
					runtime.ReadMemStats(&after)
					taken := after.TotalAlloc - before.TotalAlloc
					if err == nil || taken > most {
						t.Errorf("%v; %d MiB were allocated", err, taken>>20)
					}
					if status == 200 && !known(err) {
						t.Errorf("unexpected kind of error: %v", err)
					}
				})
			}
		}
	}
}

// known reports whether err is one of the errors that an unusable answer can cause.
func known(err error) bool {
	return errors.Is(err, moysklad.ErrTooLarge) || errors.Is(err, moysklad.ErrUnavailable) || errors.Is(err, moysklad.ErrIncomplete) ||
		errors.Is(err, moysklad.ErrPermission)
}
