package proxy

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/kopeck/kopeck/proxy/console"
)

// pagePolicy allows scripts, styles and requests of the page's own origin. It forbids inline scripts, and embedding in
// frames. It is sent with every file, because each file can be opened by itself.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// consoleFile serves a file of the console. "/" is its page.
func (s *Server) consoleFile(ctx context.Context, r *request) (httpResponse, error) {
	file, found := console.Find(cmp.Or(r.param("file"), "index.html"))
	if !found {
		return s.noSuchPath(ctx, r)
	}
	body, encoding := file.Encoded(string(r.fast.Request.Header.Peek("Accept-Encoding")))
	tag := `"` + file.ETag + encoding + `"` // a strong ETag identifies the bytes, which differ by encoding
	header := map[string]string{
		"ETag":                         tag,
		"Cache-Control":                "no-cache", // revalidate each time, so that files of two versions do not mix
		"Vary":                         "Accept-Encoding",
		"Content-Security-Policy":      pagePolicy,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	}
	if strings.Contains(string(r.fast.Request.Header.Peek("If-None-Match")), tag) {
		return httpResponse{status: http.StatusNotModified, header: header}, nil
	}
	header["Content-Type"] = file.Type
	if encoding != "" {
		header["Content-Encoding"] = encoding
	}
	return httpResponse{status: http.StatusOK, header: header, raw: body}, nil
}
