// Command kopeck answers questions about the books of a trading business, for people, chat UIs and programs.
//
// Each setting is an environment variable and a flag of the same name. The flag takes precedence.
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
	_ "time/tzdata" // digests need time zones, and some machines have no database of them

	"github.com/alecthomas/kong"
	"github.com/google/uuid"
)

func main() {
	uuid.EnableRandPool() // makes request ids cheaper
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	code := p.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is the command and its standard streams. Tests can replace the streams.
type program struct {
	In       io.Reader
	Out, Err io.Writer

	logLines *logBuffer // created when the log is first used
}

// log returns the buffer for the log, which is written to standard error.
func (p *program) log() *logBuffer {
	if p.logLines == nil {
		p.logLines = &logBuffer{to: p.Err}
	}
	return p.logLines
}

type commands struct {
	Serve      serveCommand      `cmd:"" help:"Run the service (applies migrations first)."`
	Sandbox    sandboxCommand    `cmd:"" help:"Run only the simulated MoySklad, on a loopback address."`
	Ask        askCommand        `cmd:"" help:"Ask a running service one question."`
	Tool       toolCommand       `cmd:"" help:"Run one tool of a running service, without a model; without a name, list them."`
	Confirm    confirmCommand    `cmd:"" help:"Confirm a draft by its code."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Speak the Model Context Protocol on standard input and output, for desktop clients."`
	Connect    connectCommand    `cmd:"" help:"Connect an upstream account; its token is read from a prompt or standard input."`
	Org        orgCommand        `cmd:"" help:"Organizations."`
	Key        keyCommand        `cmd:"" help:"API keys."`
	Limits     limitsCommand     `cmd:"" help:"Limits of keys and organizations for models."`
	Models     modelsCommand     `cmd:"" help:"List the models that clients can use."`
	Eval       evalCommand       `cmd:"" help:"Test a model with questions about a simulated shop whose right answers are known."`
	Doctor     doctorCommand     `cmd:"" help:"Check configuration, database, upstream and model."`
	Completion completionCommand `cmd:"" help:"Print the completion script of a shell: bash, zsh or fish."`
	Complete   completeCommand   `cmd:"" hidden:""`
	Version    versionCommand    `cmd:"" help:"Print version, commit and Go version."`
	SBOM       sbomCommand       `cmd:"" name:"sbom" help:"Print the program's modules as CycloneDX JSON."`
}

// Run runs the command in args. The exit code is 0 if it succeeds, 1 if it fails, and 2 if the arguments are invalid.
func (p *program) Run(ctx context.Context, args []string) int {
	var c commands
	exit := -1
	var h settingParser
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
		panic(err) // happens only if the command's structs are invalid
	}
	call, err := parser.Parse(args)
	if exit >= 0 {
		return exit // kong has printed --help and exits
	}
	if err != nil {
		fmt.Fprintln(p.Err, "kopeck:", cmp.Or(h.err, err))
		return 2
	}
	err = call.Run()
	if p.logLines != nil {
		p.logLines.flush()
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

// oneLine returns the text of an error without line breaks. Errors of some libraries contain them.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		parts = append(parts, strings.TrimSpace(line))
	}
	return strings.Join(parts, "; ")
}

// interrupted is the exit code after an interrupt. Shells use the same.
const interrupted = 130

// errReported is returned by commands that have already printed the failure. The exit code is 1.
var errReported = errors.New("reported")
