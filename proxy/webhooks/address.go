package webhooks

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
)

// The limits of one attempt.
const (
	longestURL  = 2000
	dialTimeout = 5 * time.Second
	sendTimeout = 15 * time.Second
	mostAnswer  = 64 << 10 // bytes of the receiver's answer that are read, and thrown away
)

// addressProblem says what is wrong with a webhook's address; empty if nothing is. Names are looked up when sending, each
// time anew, and held to the same rule then.
func addressProblem(text string, private bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || len(text) > longestURL:
		return fmt.Sprintf("must be an https address of at most %d characters, got %q", longestURL, shortened(text))
	case u.Scheme != "https" && (!private || u.Scheme != "http"):
		return fmt.Sprintf("must begin with https://, got %q", shortened(text))
	case u.User != nil || u.Fragment != "":
		return "must hold no user name, password or fragment"
	case redact.ContainsSecret(text):
		return "must hold no key or token: messages are signed, and their receiver checks that"
	case private:
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	if err == nil && !public(ip) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return fmt.Sprintf("must not lead into a private network, got %q", shortened(text))
	}
	return ""
}

func shortened(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}

// special are networks that are not the internet, or that lead elsewhere by translation, beyond those that netip knows
// (IANA's registries of special-purpose addresses). 168.63.129.16 is Azure's, to its machines alone; where other clouds
// tell their machines secrets is within the others.
var special = prefixes(
	"0.0.0.0/8",
	"100.64.0.0/10",
	"168.63.129.16/32",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"240.0.0.0/4",
	"::/96",
	"64:ff9b::/96",
	"64:ff9b:1::/48",
	"100::/64",
	"2001::/23",
	"2001:db8::/32",
	"2002::/16",
	"3fff::/20",
	"5f00::/16",
	"fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// public reports whether an address is on the internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// errPrivate does not say which address: what a private network looks like is not for the outside.
var errPrivate = errors.New("the name leads to an address that is not public")

// unreached is why a message did not arrive, as an organization may read it: without the addresses of a private network and
// of who looks names up there.
func unreached(err error) error {
	var name *net.DNSError
	var network *net.OpError
	var request *url.Error
	switch {
	case errors.Is(err, errPrivate):
		return errPrivate
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Errorf("the name %s is not known", name.Name)
	case errors.As(err, &name):
		return fmt.Errorf("the name %s could not be looked up", name.Name)
	case errors.As(err, &network):
		return network.Err
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// client sends messages. It follows no redirect, knows no proxy, and looks at each address that a name leads to at the
// moment of dialling, so that a name cannot change its mind in between.
func client(private bool) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !private {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !public(to.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Timeout: sendTimeout,
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    dialTimeout,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
