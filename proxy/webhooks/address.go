package webhooks

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/check"
)

// The limits of one attempt.
const (
	maxURL      = 2000
	dialTimeout = 5 * time.Second
	sendTimeout = 15 * time.Second
	maxResponse = 64 << 10 // bytes of the response that are read and discarded
)

var (
	notURL     = check.NewWording("must be an https URL of at most %s characters", "нужен адрес https не длиннее %s знаков")
	notHTTPS   = check.NewWording("must begin with https://", "адрес должен начинаться с https://")
	withUser   = check.NewWording("must not contain a user name, password or fragment", "адрес должен быть без имени, пароля и части после #")
	withSecret = check.NewWording("must not contain a key or token: receivers verify the signature of a message instead",
		"в адресе не должно быть ключа или токена: получатель проверяет подпись сообщения")
	privateHost = check.NewWording("must not be in a private network", "адрес не должен быть во внутренней сети")
)

// addressProblem returns what is wrong with a webhook's URL, or nil. It does not resolve names. The addresses of a name are
// checked each time a message is sent.
func addressProblem(text string, private bool) *check.Problem {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || len(text) > maxURL:
		return notURL.At("url", maxURL).WithValue(text)
	case u.Scheme != "https" && (!private || u.Scheme != "http"):
		return notHTTPS.At("url").WithValue(text)
	case u.User != nil || u.Fragment != "":
		return withUser.At("url")
	case redact.ContainsSecret(text):
		return withSecret.At("url")
	case private:
		return nil
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	if err == nil && !isPublic(ip) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return privateHost.At("url").WithValue(text)
	}
	return nil
}

// specialNetworks are networks that are not part of the internet, or whose addresses are translated to others, in addition
// to those that netip knows. They are from IANA's registries of special-purpose addresses. Only 168.63.129.16 is not; it is
// internal to Azure. The metadata addresses of other clouds are in special networks.
var specialNetworks = prefixes(
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

// isPublic reports whether an address is a public one on the internet.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range specialNetworks {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// errPrivate does not contain the address, because outsiders must not learn the structure of a private network.
var errPrivate = errors.New("the name resolves to an address that is not public")

// Why an attempt failed.
var (
	isDisabled   = check.NewWording("the webhook is disabled: its URL responded with 410", "вебхук отключён: его адрес ответил 410")
	responded    = check.NewWording("the URL responded with %s", "адрес ответил %s")
	notPublic    = check.NewWording(errPrivate.Error(), "имя ведёт на адрес, который не публичный")
	noSuchName   = check.NewWording("the name %s does not exist", "имени %s нет")
	notResolved  = check.NewWording("the name %s could not be resolved", "не удалось узнать адрес по имени %s")
	isRefused    = check.NewWording("the connection was refused", "в соединении отказано")
	tookTooLong  = check.NewWording("the URL did not respond in time", "адрес не ответил вовремя")
	couldNotSend = check.NewWording("it could not be sent: %s", "не удалось отправить: %s")
)

// publicProblem returns what the organization may know of a sending error. It leaves out private addresses and the DNS server.
func publicProblem(err error) check.Phrase {
	var name *net.DNSError
	var network *net.OpError
	var request *url.Error
	switch {
	case errors.Is(err, errPrivate):
		return notPublic.Of()
	case errors.As(err, &name) && name.IsNotFound:
		return noSuchName.Of(name.Name)
	case errors.As(err, &name):
		return notResolved.Of(name.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return isRefused.Of()
	case os.IsTimeout(err):
		return tookTooLong.Of()
	case errors.As(err, &network):
		err = network.Err
	case errors.As(err, &request):
		err = request.Err
	}
	return couldNotSend.Of(err.Error())
}

// newClient returns the client that sends messages. It follows no redirects and uses no proxy. It checks each address when
// it connects, so a name cannot get another address after the check.
func newClient(private bool) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !private {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !isPublic(to.Addr()) {
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
