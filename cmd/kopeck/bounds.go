package main

import (
	"fmt"
	"net/netip"
	"strings"
)

// bounds keep one key, organization or address from taking what the others need.
type bounds struct {
	TrustedProxies string `env:"KOPECK_TRUSTED_PROXIES" help:"Addresses or networks, with commas between, whose X-Forwarded-For is believed."`
	KeyRequests    int    `env:"KOPECK_KEY_REQUESTS" default:"6000" help:"Requests a minute of one key to each replica; 0 is no bound."`
	Questions      int    `env:"KOPECK_QUESTIONS" default:"100" help:"Questions of one organization at once, on all replicas; 0 is no bound."`
}

func (b bounds) check() error {
	if _, err := b.proxies(); err != nil {
		return err
	}
	for _, bound := range []struct {
		name string
		held int
	}{{"KOPECK_KEY_REQUESTS", b.KeyRequests}, {"KOPECK_QUESTIONS", b.Questions}} {
		if bound.held < 0 {
			return setting(bound.name, fmt.Sprintf("holds %d", bound.held), "a number above zero, or 0 for no bound")
		}
	}
	return nil
}

func (b bounds) proxies() (trusted []netip.Prefix, err error) {
	for text := range strings.SplitSeq(b.TrustedProxies, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if one, alone := netip.ParseAddr(text); alone == nil {
			network, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			return nil, setting("KOPECK_TRUSTED_PROXIES", fmt.Sprintf("holds %q", text), "addresses or networks such as 10.0.0.0/8, with commas between")
		}
		trusted = append(trusted, network.Masked())
	}
	return trusted, nil
}
