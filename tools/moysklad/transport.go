package moysklad

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// What the vendor asks of clients: keep connections, but not one that was idle for 30 s or that has served 100 requests.
//
// Source: md/_restrictions.md, connections.
const (
	connectionIdle = 25 * time.Second
	connectionUses = 100
)

// newTransport is a transport kept to what the vendor asks. It speaks HTTP/1.1, asks for gzip (without which the upstream
// answers 415) and unpacks it.
func newTransport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return wearing{&http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &wornConn{Conn: conn}, nil
		},
		Protocols:              &protocols,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        connectionIdle,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    512, // one host, many accounts
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

// wornConn counts the requests it has served.
type wornConn struct {
	net.Conn
	uses atomic.Int32
}

// wearing closes each connection after its last permitted request.
type wearing struct{ *http.Transport }

func (t wearing) RoundTrip(req *http.Request) (*http.Response, error) {
	var conn *wornConn
	res, err := t.Transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			plain := got.Conn
			if secure, ok := plain.(*tls.Conn); ok {
				plain = secure.NetConn()
			}
			if conn, _ = plain.(*wornConn); conn != nil {
				conn.uses.Add(1)
			}
		},
	})))
	if err == nil && conn != nil && conn.uses.Load() >= connectionUses {
		res.Body = closing{res.Body, conn}
	}
	return res, err
}

// closing closes the connection with the body that was read from it.
type closing struct {
	io.ReadCloser
	conn io.Closer
}

func (c closing) Close() error { return errors.Join(c.ReadCloser.Close(), c.conn.Close()) }
