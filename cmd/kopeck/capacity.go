package main

import (
	"fmt"
	"net/netip"
	"strings"
)

// capacity limits what a single key, organization or address can use, so that the others are not affected.
type capacity struct {
	TrustedProxies string `env:"KOPECK_TRUSTED_PROXIES" help:"Comma-separated addresses or networks whose X-Forwarded-For is trusted."`
	KeyRequests    int    `env:"KOPECK_KEY_REQUESTS" default:"6000" help:"Requests per minute of one key to each replica; 0 means no limit."`
	Questions      int    `env:"KOPECK_QUESTIONS" default:"100" help:"Concurrent questions of one organization on all replicas; 0 means no limit."`
	Connections    int    `env:"KOPECK_CONNECTIONS" default:"2000" help:"Concurrent connections to each replica; 0 means no limit."`
	PerAddress     int    `env:"KOPECK_ADDRESS_CONNECTIONS" name:"address-connections" default:"500" help:"Of these, from one address that is not a trusted proxy; 0 means no limit."`
	Storage        int    `env:"KOPECK_STORAGE" default:"2048" help:"MiB of conversations and drafts that an organization can store; 0 means no limit."`
	BodyMemory     int    `env:"KOPECK_BODY_MEMORY" default:"41" help:"MiB of memory in each replica for the bodies of all running requests and for long answers of models and of the gateway."`
}

func (c capacity) check() error {
	if _, err := c.proxies(); err != nil {
		return err
	}
	for _, setting := range []struct {
		name  string
		value int
	}{{"KOPECK_KEY_REQUESTS", c.KeyRequests}, {"KOPECK_QUESTIONS", c.Questions}, {"KOPECK_CONNECTIONS", c.Connections},
		{"KOPECK_ADDRESS_CONNECTIONS", c.PerAddress}, {"KOPECK_STORAGE", c.Storage}} {
		if setting.value < 0 {
			return settingError(setting.name, fmt.Sprintf("holds %d", setting.value), "a number above zero, or 0 for no limit")
		}
	}
	if c.BodyMemory < minBodyMemory {
		return settingError("KOPECK_BODY_MEMORY", fmt.Sprintf("holds %d", c.BodyMemory),
			fmt.Sprintf("a number of MiB, %d or more: one organization gets four fifths, and the longest body has to fit", minBodyMemory))
	}
	return nil
}

// minBodyMemory (in MiB) is enough for the largest request to a model, which is 32 MiB.
const minBodyMemory = 41

func (c capacity) proxies() (trusted []netip.Prefix, err error) {
	for text := range strings.SplitSeq(c.TrustedProxies, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if one, alone := netip.ParseAddr(text); alone == nil {
			network, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			return nil, settingError("KOPECK_TRUSTED_PROXIES", fmt.Sprintf("holds %q", text),
				"comma-separated addresses or networks such as 10.0.0.0/8")
		}
		trusted = append(trusted, network.Masked())
	}
	return trusted, nil
}
