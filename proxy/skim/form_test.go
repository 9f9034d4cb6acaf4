package skim

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
)

// In an ambiguous form, this service and the provider could find different models.
func TestAmbiguousFormIsRefused(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	form := func(write func(w *multipart.Writer)) (string, string) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		write(w)
		must(w.Close())
		return body.String(), w.FormDataContentType()
	}
	plain, kind := form(func(w *multipart.Writer) {
		must(w.WriteField("language", "ru"))
		must(w.WriteField("model", "m"))
		file, err := w.CreateFormFile("file", `a".wav`)
		must(err)
		fmt.Fprint(file, "so\r\n--und\r\n\r\n")
	})
	c, boundary, err := ReadForm([]byte(plain), kind)
	if err != nil || c.Model != "m" || plain[c.modelAt.from:c.modelAt.to] != "m" || !strings.HasSuffix(kind, boundary) {
		t.Fatalf("%q at %v by %q, %v", c.Model, c.modelAt, boundary, err)
	}
	dashed, longBoundary, disposition := "--"+boundary, strings.Repeat("b", 71), "Content-Disposition:"
	hidden := "\n" + dashed + "\nContent-Disposition: form-data; name=\"model\"\n\nn\n" + dashed + "--"
	twice, twiceKind := form(func(w *multipart.Writer) { must(w.WriteField("model", "m")); must(w.WriteField("model", "n")) })
	other, otherKind := form(func(w *multipart.Writer) { must(w.WriteField("model", "m")); must(w.WriteField("Model", "n")) })
	file, fileKind := form(func(w *multipart.Writer) { _, err := w.CreateFormFile("model", "m"); must(err) })
	for name, c := range map[string]struct{ body, kind string }{
		"twice":              {twice, twiceKind},
		"in other case":      {other, otherKind},
		"as a file":          {file, fileKind},
		"truncated":          {plain[:len(plain)/2], kind},
		"text before":        {"x\r\n" + plain, kind},
		"another boundary":   {plain, "multipart/form-data; boundary=other"},
		"no boundary":        {plain, "multipart/form-data"},
		"two dispositions":   {strings.Replace(plain, "\r\n\r\nm", "\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nm", 1), kind},
		"after a delimiter":  {strings.Replace(plain, "\r\nContent", " \r\nContent", 1), kind},
		"bare LF in a file":  {strings.Replace(plain, "so\r\n", "so"+hidden+"\r\n", 1), kind},
		"bare CR in a file":  {strings.Replace(plain, "so\r\n", "so"+strings.ReplaceAll(hidden, "\n", "\r")+"\r\n", 1), kind},
		"text after":         {plain + strings.ReplaceAll(hidden, "\n", "\r\n"), kind},
		"a name in brackets": {strings.ReplaceAll(plain, `"language"`, `"model[]"`), kind},
		"a name with space":  {strings.ReplaceAll(plain, `"language"`, `" model"`), kind},
		"an escaped name":    {strings.ReplaceAll(plain, `"language"`, `"m\odel"`), kind},
		"an extended name":   {strings.ReplaceAll(plain, `"language"`, `"model"; name*=utf-8''x`), kind},
		"a field's space":    {strings.Replace(plain, disposition, "Content-Disposition : form-data; name=\"model\"\r\n"+disposition, 1), kind},
		"a long boundary":    {strings.ReplaceAll(plain, boundary, longBoundary), "multipart/form-data; boundary=" + longBoundary},
	} {
		if got, _, err := ReadForm([]byte(c.body), c.kind); err == nil {
			t.Errorf("%s: accepted with model %q", name, got.Model)
		}
	}
}
