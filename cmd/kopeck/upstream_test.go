package main

import (
	"bufio"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// farHost is a host name that only the proxies in these tests can resolve. The certificate of httptest is valid for it.
const farHost = "books.example.com"

// The program connects an account and reads the stock, with each combination of proxy and TLS settings.
func TestUpstreamIsReachedOverTLSAndProxies(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct {
		secure bool
		proxy  string // scheme and credentials of the proxy; empty if none
	}{
		"TLS":                     {secure: true},
		"TLS by an HTTP proxy":    {secure: true, proxy: "http://kopeck:pass@"},
		"TLS by a SOCKS proxy":    {secure: true, proxy: "socks5://"},
		"no TLS by an HTTP proxy": {proxy: "http://kopeck:pass@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &relay{credentials: "kopeck:pass"}
			f := launch(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"), 1, func(r *replica) {
				host := farUpstream(t, r, way.secure, p)
				if way.proxy != "" {
					r.settings = append(r.settings, "HTTPS_PROXY="+way.proxy+p.listen(t), "HTTP_PROXY="+way.proxy+p.listen(t), "NO_PROXY=")
					host = farHost
				}
				r.settings = append(r.settings, "KOPECK_UPSTREAM_URL="+map[bool]string{true: "https", false: "http"}[way.secure]+"://"+host+"/api/remap/1.2")
			})
			s := f.open("Shop", 41)
			s.request(http.StatusOK, f.replicas[0], "POST", "/tools/stock/execute", map[string]any{}, nil)
			if calls := f.replicas[0].calls.Load(); calls < 2 {
				t.Errorf("%d calls reached the upstream", calls)
			}
			if relayed := p.relayed.Load(); (relayed > 0) != (way.proxy != "") {
				t.Errorf("%d connections went through the proxy", relayed)
			}
		})
	}
}

// The program does not trust the authority that issued the certificate, so it must not send the token.
func TestUntrustedUpstreamGetsNoToken(t *testing.T) {
	t.Parallel()
	f := launch(t, "sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"), 1, func(r *replica) {
		host := farUpstream(t, r, true, &relay{})
		r.settings = append(r.settings, "KOPECK_UPSTREAM_URL=https://"+host+"/api/remap/1.2", "SSL_CERT_FILE="+os.DevNull, "SSL_CERT_DIR="+t.TempDir())
	})
	s := f.register("Shop", sandbox.New(sandbox.Config{Seed: 41, Products: 20}))
	status, err := s.ask(t.Context(), f.replicas[0], "POST", "/connections", map[string]string{"connector": "moysklad", "name": "Books", "token": s.Token()}, nil)
	if err != nil || status != http.StatusBadGateway {
		t.Errorf("connecting: %d, %v", status, err)
	}
	if calls := f.replicas[0].calls.Load(); calls != 0 {
		t.Errorf("%d calls reached the upstream", calls)
	}
}

// farUpstream serves a replica's accounts at another address, to which the relays connect, and makes the replica trust its
// certificate. It returns the address for direct connections.
func farUpstream(t *testing.T, r *replica, secure bool, p *relay) (address string) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(r.serveUpstream))
	server.Config.ErrorLog = nil
	if secure {
		server.StartTLS()
		roots := filepath.Join(t.TempDir(), "roots.pem")
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		must(t, os.WriteFile(roots, text, 0o600))
		r.settings = append(r.settings, "SSL_CERT_FILE="+roots)
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	p.target = server.Listener.Addr().String()
	return p.target
}

// relay is a proxy that connects to one address, whatever the client asks for. It supports CONNECT with credentials, and
// SOCKS version 5 (RFC 1928) without. It resolves a single name.
type relay struct {
	target, credentials string
	relayed             atomic.Int64

	once    sync.Once
	address string
}

func (p *relay) listen(t *testing.T) (address string) {
	p.once.Do(func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { listener.Close() })
		p.address = listener.Addr().String()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go p.serve(conn)
			}
		}()
	})
	return p.address
}

func (p *relay) serve(near net.Conn) {
	defer near.Close()
	reader := bufio.NewReader(near)
	first, err := reader.Peek(1)
	if err != nil || first[0] == 5 && !acceptSOCKS(reader, near) || first[0] != 5 && !p.acceptConnect(reader, near) {
		return
	}
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer far.Close()
	p.relayed.Add(1)
	go func() {
		defer near.Close()
		_, _ = io.Copy(near, far)
	}()
	_, _ = io.Copy(far, reader)
}

// acceptConnect answers a CONNECT request.
func (p *relay) acceptConnect(r *bufio.Reader, w io.Writer) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	host, _, _ := net.SplitHostPort(req.Host)
	wanted := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.credentials))
	if req.Method != http.MethodConnect || host != farHost || req.Header.Get("Proxy-Authorization") != wanted {
		_, _ = io.WriteString(w, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return false
	}
	_, err = io.WriteString(w, "HTTP/1.1 200 Connected\r\n\r\n")
	return err == nil
}

// acceptSOCKS handles the opening messages of SOCKS: no authentication, CONNECT, and a name.
func acceptSOCKS(r io.Reader, w io.Writer) bool {
	var head [2]byte // version, number of methods
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return false
	}
	if _, err := io.CopyN(io.Discard, r, int64(head[1])); err != nil {
		return false
	}
	if _, err := w.Write([]byte{5, 0}); err != nil {
		return false
	}
	var asked [5]byte // version, CONNECT, reserved, address type, length
	if _, err := io.ReadFull(r, asked[:]); err != nil || asked[1] != 1 || asked[3] != 3 {
		return false
	}
	place := make([]byte, int(asked[4])+2) // the name and two bytes for the port
	if _, err := io.ReadFull(r, place); err != nil || !strings.HasPrefix(string(place), farHost) {
		return false
	}
	_, err := w.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return err == nil
}
