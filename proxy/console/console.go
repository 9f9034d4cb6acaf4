// Package console embeds the web console, which consists of plain ES modules and a style sheet. The page uses only the
// public API, with the key that the user enters.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/tools"
)

//go:embed page
var embedded embed.FS

// wordsFile is not embedded but generated. It contains the labels of results, the texts of notes and the first words of what
// is added below an answer, so that the page uses the same words as the agent.
const wordsFile = "words.json"

var contentTypes = map[string]string{
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
	ETag string // of the uncompressed bytes, without quotes
	text []byte

	gzip func() []byte
}

// Find returns a file; "index.html" is the page itself.
func Find(name string) (File, bool) {
	f, there := files()[name]
	return f, there
}

// Encoded returns the file in an encoding that the Accept-Encoding header accepts, and the encoding's name, empty for none.
// The file is compressed on first use.
func (f File) Encoded(accepted string) (body []byte, encoding string) {
	if accepts(accepted, "gzip") {
		return f.gzip(), "gzip"
	}
	return f.text, ""
}

// accepts reports whether the header accepts an encoding.
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
	all := map[string]File{wordsFile: newFile(wordsFile, wordsJSON())}
	for _, entry := range entries {
		text, err := embedded.ReadFile("page/" + entry.Name())
		if err != nil {
			panic(err)
		}
		all[entry.Name()] = newFile(entry.Name(), text)
	}
	return all
})

func newFile(name string, text []byte) File {
	sum := sha256.Sum256(text)
	return File{
		Type: contentTypes[path.Ext(name)],
		ETag: base64.RawURLEncoding.EncodeToString(sum[:12]),
		text: text,
		gzip: sync.OnceValue(func() []byte {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			w.Write(text) //nolint:errcheck // writing to a buffer cannot fail
			w.Close()     //nolint:errcheck // the same
			return out.Bytes()
		}),
	}
}

func wordsJSON() []byte {
	return encoded.JSON(map[string]any{"layouts": tools.Layouts(), "notes": tools.NoteTexts(), "numbers": tools.NumberValues(),
		"arguments": tools.ArgumentNames(), "footnotes": []bilingual.Text{render.LegendHead, render.SaidHead, render.SourceHead}})
}
