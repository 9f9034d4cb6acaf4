// Package console is the page that Kopeck serves to people: plain ES modules and a style sheet, embedded as they are
// written. It has no address of its own beside its files; what it shows it asks of the same API as every other client,
// with the key that was typed in.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

//go:embed page
var embedded embed.FS

// words is the name of the file that is made rather than embedded: how results are labelled and notes worded, so that
// the page says it as the agent's answers do.
const words = "words.json"

// types are the kinds of files there are.
var types = map[string]string{
	".html":    "text/html; charset=utf-8",
	".css":     "text/css; charset=utf-8",
	".js":      "text/javascript; charset=utf-8",
	".json":    "application/json",
	".svg":     "image/svg+xml",
	".LICENSE": "text/plain; charset=utf-8",
}

// File is a file of the page.
type File struct {
	Type string
	ETag string // of the plain bytes, without quotes
	text []byte

	gzip func() []byte
}

// Named finds a file; "index.html" is the page itself.
func Named(name string) (File, bool) {
	f, there := files()[name]
	return f, there
}

// Encoded is the file as an Accept-Encoding header takes it, and that encoding's name, empty for the plain bytes. It is
// compressed when it is first asked for.
func (f File) Encoded(accepted string) (body []byte, encoding string) {
	if accepts(accepted, "gzip") {
		return f.gzip(), "gzip"
	}
	return f.text, ""
}

// accepts reports whether a header names an encoding without forbidding it.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, encoding) {
			return strings.Trim(quality, "q=0.") != "" || quality == ""
		}
	}
	return false
}

var files = sync.OnceValue(func() map[string]File {
	entries, err := fs.ReadDir(embedded, "page")
	if err != nil {
		panic(err)
	}
	all := map[string]File{words: file(words, wording())}
	for _, entry := range entries {
		text, err := embedded.ReadFile("page/" + entry.Name())
		if err != nil {
			panic(err)
		}
		all[entry.Name()] = file(entry.Name(), text)
	}
	return all
})

func file(name string, text []byte) File {
	sum := sha256.Sum256(text)
	return File{
		Type: types[path.Ext(name)],
		ETag: base64.RawURLEncoding.EncodeToString(sum[:12]),
		text: text,
		gzip: sync.OnceValue(func() []byte {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			w.Write(text) //nolint:errcheck // a buffer takes all
			w.Close()     //nolint:errcheck // likewise
			return out.Bytes()
		}),
	}
}

func wording() []byte {
	text, err := json.Marshal(map[string]any{"layouts": render.Layouts(), "notes": tools.Phrases()})
	if err != nil {
		panic(err)
	}
	return text
}
