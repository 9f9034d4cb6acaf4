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
	Connections    int    `env:"KOPECK_CONNECTIONS" default:"2000" help:"Connections to each replica at once; 0 is no bound."`
	PerAddress     int    `env:"KOPECK_ADDRESS_CONNECTIONS" name:"address-connections" default:"500" help:"Of these, from one address that is no trusted proxy; 0 is no bound."`
	Storage        int    `env:"KOPECK_STORAGE" default:"2048" help:"MiB of conversations and drafts that an organization may store; 0 is no bound."`
	BodyMemory     int    `env:"KOPECK_BODY_MEMORY" default:"41" help:"MiB that the bodies of all requests under way, and long answers of models, may take in each replica."`
}

func (b bounds) check() error {
	if _, err := b.proxies(); err != nil {
		return err
	}
	for _, bound := range []struct {
		name string
		held int
	}{{"KOPECK_KEY_REQUESTS", b.KeyRequests}, {"KOPECK_QUESTIONS", b.Questions}, {"KOPECK_CONNECTIONS", b.Connections},
		{"KOPECK_ADDRESS_CONNECTIONS", b.PerAddress}, {"KOPECK_STORAGE", b.Storage}} {
		if bound.held < 0 {
			return setting(bound.name, fmt.Sprintf("holds %d", bound.held), "a number above zero, or 0 for no bound")
		}
	}
	if b.BodyMemory < leastBodyMemory {
		return setting(
			"KOPECK_BODY_MEMORY",
			fmt.Sprintf("holds %d", b.BodyMemory),
			fmt.Sprintf("a number of MiB, %d or more: one organization gets four fifths, and the longest body has to fit", leastBodyMemory),
		)
	}
	return nil
}

// leastBodyMemory has room for the longest body that there is, of 32 MiB for a model that is passed through.
const leastBodyMemory = 41

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
			return nil, setting(
				"KOPECK_TRUSTED_PROXIES",
				fmt.Sprintf("holds %q", text),
				"addresses or networks such as 10.0.0.0/8, with commas between",
			)
		}
		trusted = append(trusted, network.Masked())
	}
	return trusted, nil
}
