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

// dialTime limits a connection attempt, and then the TLS handshake.
const dialTime = 10 * time.Second

// Dialer returns a function that connects to the host of base, directly or through the proxy set in the environment, and
// makes the TLS handshake for https. It returns an error that names the environment variable if the proxy cannot be used.
func Dialer(base *url.URL) (func(context.Context) (net.Conn, error), error) {
	secure := base.Scheme == "https"
	address := net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), map[bool]string{true: "443", false: "80"}[secure]))
	direct := net.Dialer{Timeout: dialTime}
	dial := func(ctx context.Context) (net.Conn, error) { return direct.DialContext(ctx, "tcp", address) }
	proxy, err := usesProxy(base)
	if err != nil {
		return nil, err
	}
	if proxy {
		through := fasthttpproxy.Dialer{DialDualStack: true, Timeout: dialTime, ConnectTimeout: dialTime}
		byProxy, err := through.GetDialFuncForTLS(true, secure)
		if err != nil {
			return nil, fmt.Errorf("the environment's proxy: %w", err)
		}
		dial = func(ctx context.Context) (net.Conn, error) { return dialWithContext(ctx, address, byProxy) }
	}
	if !secure {
		return dial, nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		plain, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return startTLS(ctx, plain, base.Hostname())
	}, nil
}

// usesProxy reports whether the environment sets a proxy for base. It returns an error for an unusable proxy, which
// fasthttpproxy would only report when dialing if NO_PROXY is set.
func usesProxy(base *url.URL) (bool, error) {
	variable := map[bool]string{true: "HTTPS_PROXY", false: "HTTP_PROXY"}[base.Scheme == "https"]
	const allowed = "allowed: http://HOST:PORT or socks5://HOST:PORT"
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	if err != nil { // do not quote the error: it contains the proxy's password
		return false, fmt.Errorf("%s cannot be read; %s", variable, allowed)
	}
	if proxy != nil && proxy.Scheme != "http" && proxy.Scheme != "socks5" && proxy.Scheme != "socks5h" {
		return false, fmt.Errorf("%s holds %q; %s", variable, proxy.Redacted(), allowed)
	}
	return proxy != nil, nil
}

// dialWithContext calls dial, which takes no context, and stops waiting for it when ctx ends. If dial succeeds after that,
// the connection is closed.
func dialWithContext(ctx context.Context, address string, dial func(address string) (net.Conn, error)) (net.Conn, error) {
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

func startTLS(ctx context.Context, plain net.Conn, host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	secure := tls.Client(plain, &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: plain.RemoteAddr(), Err: fmt.Errorf("TLS: %w", err)}
	}
	return secure, nil
}
