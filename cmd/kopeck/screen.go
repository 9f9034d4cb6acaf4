package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/kopeck/kopeck/cmd/kopeck/terminal"
)

// columns is how wide the terminal behind w is; false if w is none.
func columns(w any) (int, bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return width, err == nil
}

// shown is where Markdown is written for whoever reads standard output: fitted to a terminal, as it is for a program.
func (p *program) shown() io.WriteCloser {
	if width, ok := columns(p.Out); ok {
		return terminal.NewWriter(p.Out, width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
	}
	return asItIs{p.Out}
}

// asItIs ends what is written with a line end.
type asItIs struct{ io.Writer }

func (w asItIs) Close() error {
	_, err := io.WriteString(w.Writer, "\n")
	return err
}

// progress is told what is being done while there is nothing to show.
type progress interface {
	Say(text string)
	End()
}

// status tells it on standard error if that is a terminal.
func (p *program) status(says string) progress {
	if width, ok := columns(p.Err); ok {
		return terminal.NewStatus(p.Err, width, says)
	}
	return untold{}
}

type untold struct{}

func (untold) Say(string) {}
func (untold) End()       {}
