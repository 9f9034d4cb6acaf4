package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

type sandboxCommand struct {
	Addr     string `required:"" help:"Loopback address to listen on, for instance 127.0.0.1:9090."`
	Seed     int64  `default:"1" help:"The same seed creates the same shop."`
	Products int    `default:"200" help:"Number of products, 1 to 100000."`
	Role     string `default:"full" enum:"full,nocost,readonly" help:"What the token's employee may do: full, nocost or readonly."`
}

// maxProducts is the size of the largest shop that was tested.
const maxProducts = 100_000

func (c *sandboxCommand) Run(ctx context.Context, p *program) error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return settingError("--addr", fmt.Sprintf("holds %q", c.Addr), "HOST:PORT on loopback, for instance 127.0.0.1:9090")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return settingError("--addr", fmt.Sprintf("holds %q", c.Addr), "a loopback address: the sandbox has no real protection")
	}
	if c.Products < 1 || c.Products > maxProducts {
		return settingError("--products", fmt.Sprintf("holds %d", c.Products), fmt.Sprintf("1 to %d", maxProducts))
	}
	books := sandbox.New(sandbox.Config{Seed: c.Seed, Products: c.Products, Role: sandbox.Role(c.Role)})
	return books.Serve(ctx, c.Addr, func(url string) {
		fmt.Fprintf(p.Out, "upstream  %s\ntoken     %s\n", url, books.Token())
	})
}

// serveHTTP serves h at addr until stop is called.
func serveHTTP(ctx context.Context, addr string, h http.Handler) (address string, stop func() error, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return listener.Addr().String(), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			server.Close()
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, nil
}
