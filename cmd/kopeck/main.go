// Command kopeck serves the books of a trading business to people, chat UIs and programs.
//
// Every setting is an environment variable and a flag of the same name; the flag wins.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // digests name time zones, also where the machine has none

	"github.com/alecthomas/kong"
	"github.com/google/uuid"
)

func main() {
	uuid.EnableRandPool() // every request has an id; their randomness is drawn for several at once
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	code := p.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is the command with its standard streams, so that a test runs the same program.
type program struct {
	In       io.Reader
	Out, Err io.Writer

	lines *lines // of the log, once there is one
}

// log is where the log's lines go: to standard error, some of them together.
func (p *program) log() *lines {
	if p.lines == nil {
		p.lines = &lines{to: p.Err}
	}
	return p.lines
}

type commands struct {
	Serve      serveCommand      `cmd:"" help:"Run the service (applies migrations first)."`
	Sandbox    sandboxCommand    `cmd:"" help:"Run the simulated upstream alone, on a loopback address."`
	Ask        askCommand        `cmd:"" help:"Ask a running service one question."`
	Tool       toolCommand       `cmd:"" help:"Run one tool of a running service, without a model; without a name, list them."`
	Confirm    confirmCommand    `cmd:"" help:"Confirm a draft by its code."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Speak the Model Context Protocol on standard input and output, for desktop clients."`
	Connect    connectCommand    `cmd:"" help:"Connect an upstream account; its token is read from a prompt or standard input."`
	Org        orgCommand        `cmd:"" help:"Organizations."`
	Key        keyCommand        `cmd:"" help:"API keys."`
	Limits     limitsCommand     `cmd:"" help:"What keys and organizations may use of models."`
	Models     modelsCommand     `cmd:"" help:"Show the models that clients can ask for."`
	Eval       evalCommand       `cmd:"" help:"Try how well a model answers, with questions about a simulated shop whose right answers are known."`
	Doctor     doctorCommand     `cmd:"" help:"Check configuration, database, upstream and model."`
	Completion completionCommand `cmd:"" help:"Print the completion script of a shell: bash, zsh or fish."`
	Complete   completeCommand   `cmd:"" hidden:""`
	Version    versionCommand    `cmd:"" help:"Print version, commit and Go version."`
	SBOM       sbomCommand       `cmd:"" name:"sbom" help:"Print what the program is built of, as CycloneDX JSON."`
}

// Run parses args and runs one command. The exit code is 0, 1 when the command failed, or 2 when it was called wrongly.
func (p *program) Run(ctx context.Context, args []string) int {
	var c commands
	exit := -1
	var h held
	parser, err := kong.New(&c, append(h.options(),
		kong.Name("kopeck"),
		kong.Description("Ask the books of a trading business, and get true figures."),
		kong.Writers(p.Out, p.Err),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(p),
	)...)
	if err != nil {
		panic(err) // the command structs themselves are wrong
	}
	call, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help has been printed
	}
	if err != nil {
		fmt.Fprintln(p.Err, "kopeck:", cmp.Or(h.wrong, err))
		return 2
	}
	err = call.Run()
	if p.lines != nil {
		p.lines.flush()
	}
	if err != nil {
		if ctx.Err() != nil {
			return interrupted
		}
		if !errors.Is(err, errReported) {
			fmt.Fprintln(p.Err, "kopeck:", oneLine(err))
		}
		return 1
	}
	return 0
}

// oneLine is what an error says, without the lines that some libraries break it into.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		parts = append(parts, strings.TrimSpace(line))
	}
	return strings.Join(parts, "; ")
}

// interrupted is the exit code of a command that was ended from outside, as shells have it for an interrupt.
const interrupted = 130

// errReported ends the program with exit code 1 when the command has already told what failed.
var errReported = errors.New("reported")
