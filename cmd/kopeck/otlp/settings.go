package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings are where spans go and how.
type Settings struct {
	URL     string // of the traces, with its path
	Headers map[string]string
	Timeout time.Duration // for one attempt
	Gzip    bool
	TLS     *tls.Config // nil is Go's own
}

// Read reads OpenTelemetry's variables, OTEL_EXPORTER_OTLP_…; those of traces alone, OTEL_EXPORTER_OTLP_TRACES_…, go before.
// Everything but URL is theirs. The error names the variable, and no value of a header.
func Read(variable func(string) string) (Settings, error) {
	v := variables(variable)
	s := Settings{Timeout: 10 * time.Second}
	if name, protocol := v.get("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return s, fmt.Errorf("%s holds %q; allowed: http/protobuf", name, protocol)
	}
	switch name, compression := v.get("COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		s.Gzip = true
	default:
		return s, fmt.Errorf("%s holds %q; allowed: gzip or none", name, compression)
	}
	if name, timeout := v.get("TIMEOUT"); timeout != "" {
		ms, err := strconv.Atoi(timeout)
		if err != nil || ms < 0 {
			return s, fmt.Errorf("%s holds %q; allowed: milliseconds, or 0 for no limit", name, timeout)
		}
		s.Timeout = time.Duration(ms) * time.Millisecond
	}
	var err error
	if s.Headers, err = v.headers(); err != nil {
		return s, err
	}
	s.TLS, err = v.tls()
	return s, err
}

type variables func(string) string

// get is what a variable holds, and its name; empty when it is not set.
func (v variables) get(what string) (name, held string) {
	name = "OTEL_EXPORTER_OTLP_TRACES_" + what
	if held = strings.TrimSpace(v(name)); held == "" {
		name = "OTEL_EXPORTER_OTLP_" + what
		held = strings.TrimSpace(v(name))
	}
	return name, held
}

// headers are written as NAME=VALUE,NAME=VALUE, values escaped as in urls.
func (v variables) headers() (map[string]string, error) {
	name, text := v.get("HEADERS")
	if text == "" {
		return nil, nil
	}
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		header, escaped, there := strings.Cut(pair, "=")
		value, err := url.PathUnescape(escaped)
		if header = strings.TrimSpace(header); !there || header == "" || err != nil {
			return nil, fmt.Errorf("%s holds something else than headers; allowed: NAME=VALUE,NAME=VALUE with values escaped as in urls", name)
		}
		all[header] = strings.TrimSpace(value)
	}
	return all, nil
}

// tls is whom we trust and who we are, from files; nil when neither is set.
func (v variables) tls() (*tls.Config, error) {
	authority, ours, key := v.file("CERTIFICATE"), v.file("CLIENT_CERTIFICATE"), v.file("CLIENT_KEY")
	if err := errors.Join(authority.err, ours.err, key.err); err != nil {
		return nil, err
	}
	if authority.text == nil && ours.text == nil {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority.text != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authority.text) {
			return nil, fmt.Errorf("%s names a file without a certificate; allowed: certificates in PEM", authority.name)
		}
	}
	if ours.text != nil {
		pair, err := tls.X509KeyPair(ours.text, key.text)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", ours.name, key.name, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

type file struct {
	name string // of the variable
	text []byte // nil when the variable is not set
	err  error
}

func (v variables) file(what string) file {
	f := file{}
	var path string
	if f.name, path = v.get(what); path != "" {
		if f.text, f.err = os.ReadFile(path); f.err != nil {
			f.err = fmt.Errorf("%s: %w", f.name, f.err)
		}
	}
	return f
}
