package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/kopeck/kopeck/cmd/kopeck/terminal"
)

// terminalWidth returns the width of the terminal behind w. It returns false if w is not a terminal.
func terminalWidth(w any) (int, bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return width, err == nil
}

// inputTerminal returns the terminal at which standard input is typed. It returns false if it is not one.
func (p *program) inputTerminal() (terminal int, ok bool) {
	file, ok := p.In.(*os.File)
	if !ok {
		return 0, false
	}
	terminal = int(file.Fd())
	return terminal, term.IsTerminal(terminal)
}

// markdownOutput returns a writer for Markdown. It formats the text if standard output is a terminal.
func (p *program) markdownOutput() io.WriteCloser {
	if width, ok := terminalWidth(p.Out); ok {
		return terminal.NewWriter(p.Out, width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
	}
	return plainOutput{p.Out}
}

func (p *program) printMarkdown(text string) error {
	out := p.markdownOutput()
	_, err := io.WriteString(out, strings.TrimRight(text, "\n"))
	return errors.Join(err, out.Close())
}

// plainOutput writes text unchanged, and a line end when it is closed.
type plainOutput struct{ io.Writer }

func (o plainOutput) Close() error {
	_, err := io.WriteString(o.Writer, "\n")
	return err
}

// progress shows what the command is doing until there is output.
type progress interface {
	Say(text string)
	End()
}

// status shows progress on standard error if it is a terminal.
func (p *program) status(says string) progress {
	if width, ok := terminalWidth(p.Err); ok {
		return terminal.NewStatus(p.Err, width, says)
	}
	return noProgress{}
}

type noProgress struct{}

func (noProgress) Say(string) {}
func (noProgress) End()       {}
