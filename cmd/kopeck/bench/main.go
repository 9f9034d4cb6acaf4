// Command bench compares a built kopeck with a bare fasthttp reverse proxy. Both are in front of the same scripted model
// and are measured in turns. It prints a table of the measurements and their goals. See BENCHMARKS.md.
//
// The model, MoySklad, the bare proxy and kopeck are separate processes, so that the CPU time of each is known. The load
// comes from this process. On a machine with few cores they compete for the CPU. So only the ratio to the bare proxy, and
// the CPU time per request, can be compared with other machines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	var b bench
	flag.StringVar(&b.binary, "binary", "bin/kopeck", "the program to measure")
	flag.IntVar(&b.rounds, "rounds", 5, "how often each is measured, in turns")
	flag.DurationVar(&b.time, "time", 2*time.Second, "how long each measurement of load takes")
	flag.StringVar(&b.postgres, "postgres", os.Getenv("KOPECK_BENCH_POSTGRES"), "an empty PostgreSQL database to start on; none: SQLite only")
	only := flag.String("only", "", "measure only the parts whose names match this expression")
	role, at, to := flag.String("role", "", ""), flag.String("at", "", ""), flag.String("to", "", "")
	flag.Parse()
	var err error
	switch *role {
	case "model":
		err = serveModel(*at)
	case "upstream":
		err = serveUpstream(*at)
	case "bare":
		err = serveBare(*at, *to)
	default:
		b.only, err = regexp.Compile(*only)
		err = errors.Join(err, b.runUntilSignal())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	binary   string
	rounds   int
	time     time.Duration
	postgres string
	only     *regexp.Regexp

	folder       string // for the databases
	model        *process
	upstream     *process
	bare         *process // in front of the model
	bareUpstream *process // in front of MoySklad
	kopeck       *process
	key          string
	table        table
}

// runUntilSignal runs the benchmark until it ends or is interrupted, and stops the processes that it started.
func (b *bench) runUntilSignal() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return b.run(ctx)
}

func (b *bench) run(ctx context.Context) error {
	var err error
	if b.binary, err = filepath.Abs(b.binary); err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "kopeck-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	defer b.stop()
	if err := b.start(ctx); err != nil {
		return err
	}
	matched := false
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"size", b.size},
		{"idle", b.idle},
		{"plain", b.plainRequests},
		{"growth", b.growth},
		{"lines", b.logLines},
		{"stream", b.streams},
		{"open", b.openStreams},
		{"leave", b.leavingClients},
		{"agent", b.agent},
		{"after", b.afterLoad},
		{"gateway", b.gateway},
		{"accounts", b.accounts},
		{"start", b.startTime},
	} {
		if !b.only.MatchString(part.name) {
			continue
		}
		matched = true
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if !matched {
		return fmt.Errorf("-only %s matches no part", b.only)
	}
	b.table.print(os.Stdout)
	return nil
}
