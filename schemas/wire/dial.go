package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/valyala/fasthttp/fasthttpproxy"

	"github.com/kopeck/kopeck/schemas/caught"
)

// dialTime bounds how long a connection may take to be made, and again how long its TLS may take.
const dialTime = 10 * time.Second

// Dialer makes connections to the host of base, TLS and all: directly, or through the proxy that the environment names for it.
func Dialer(base *url.URL) (func(context.Context) (net.Conn, error), error) {
	secure := base.Scheme == "https"
	address := net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), map[bool]string{true: "443", false: "80"}[secure]))
	direct := net.Dialer{Timeout: dialTime}
	dial := func(ctx context.Context) (net.Conn, error) { return direct.DialContext(ctx, "tcp", address) }
	proxy, err := proxyTo(base)
	if err != nil {
		return nil, err
	}
	if proxy {
		through := fasthttpproxy.Dialer{DialDualStack: true, Timeout: dialTime, ConnectTimeout: dialTime}
		byProxy, err := through.GetDialFuncForTLS(true, secure)
		if err != nil {
			return nil, fmt.Errorf("the environment's proxy: %w", err)
		}
		dial = func(ctx context.Context) (net.Conn, error) { return abandonable(ctx, address, byProxy) }
	}
	if !secure {
		return dial, nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		plain, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return encrypted(ctx, plain, base.Hostname())
	}, nil
}

// proxyTo reports whether the environment names a proxy for an address. One that cannot be used is an error at once:
// beside a NO_PROXY, fasthttpproxy tells of it only when it dials.
func proxyTo(base *url.URL) (bool, error) {
	variable := map[bool]string{true: "HTTPS_PROXY", false: "HTTP_PROXY"}[base.Scheme == "https"]
	const allowed = "allowed: http://HOST:PORT or socks5://HOST:PORT"
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	if err != nil { // in words that hold the proxy's password
		return false, fmt.Errorf("%s cannot be read; %s", variable, allowed)
	}
	if proxy != nil && proxy.Scheme != "http" && proxy.Scheme != "socks5" && proxy.Scheme != "socks5h" {
		return false, fmt.Errorf("%s holds %q; %s", variable, proxy.Redacted(), allowed)
	}
	return proxy != nil, nil
}

// abandonable dials for as long as the context lasts, though dial does not know of it.
func abandonable(ctx context.Context, address string, dial func(address string) (net.Conn, error)) (net.Conn, error) {
	type dialed struct {
		conn net.Conn
		err  error
	}
	done := make(chan dialed, 1)
	go func() {
		var d dialed
		d.err = caught.Call(func() (err error) {
			d.conn, err = dial(address)
			return err
		})
		done <- d
	}()
	select {
	case d := <-done:
		if d.err != nil {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: d.err}
		}
		return d.conn, nil
	case <-ctx.Done():
		go func() {
			if d := <-done; d.err == nil {
				_ = d.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func encrypted(ctx context.Context, plain net.Conn, host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	secure := tls.Client(plain, &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: plain.RemoteAddr(), Err: fmt.Errorf("TLS: %w", err)}
	}
	return secure, nil
}
