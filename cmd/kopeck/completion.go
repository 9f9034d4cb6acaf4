package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/drafts"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// scripts make a shell call the program for candidates. They pass the words so far; the last one is under the cursor.
var scripts = map[string]string{
	"bash": `_kopeck() {
  local IFS=$'\n'
  COMPREPLY=($(kopeck complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _kopeck kopeck
`,
	"zsh": `#compdef kopeck
_kopeck() {
  local -a candidates
  candidates=("${(@f)$(kopeck complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ $candidates[1] == *= ]] && compadd -S '' -- $candidates || compadd -- $candidates
}
compdef _kopeck kopeck
`,
	"fish": `complete -c kopeck -f -a '(kopeck complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// Run prints the script, which users add to their shell's start-up file.
func (c *completionCommand) Run(p *program) error {
	_, err := fmt.Fprint(p.Out, scripts[c.Shell])
	return err
}

type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints the candidates for the last word.
func (c *completeCommand) Run(call *kong.Context, p *program) error { //nolint:unparam // kong requires the signature
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, candidate := range candidates(call.Model.Node, words[:len(words)-1], last) {
		if strings.HasPrefix(candidate, last) {
			fmt.Fprintln(p.Out, candidate)
		}
	}
	return nil
}

// candidates returns what can follow words. last is the beginning of the next word.
func candidates(at *kong.Node, words []string, last string) []string {
	flags := slices.Clone(at.Flags)
	var flag *kong.Flag // the flag in the last word, if its value comes next
	var values []string // the positional arguments so far
	for _, word := range words {
		switch child := childOf(at, word); {
		case flag != nil:
			flag = nil
		case strings.HasPrefix(word, "--"):
			flag = valueFlag(flags, word)
		case child != nil:
			at, flags, values = child, append(flags, child.Flags...), nil
		default:
			values = append(values, word)
		}
	}
	switch {
	case flag != nil && at.Name == "tool" && flag.Name == "arg" && len(values) > 0:
		return argumentNames(values[0])
	case flag != nil:
		return choices(flag.Value)
	case strings.HasPrefix(last, "-"):
		return flagNames(flags)
	case at.Name == "tool" && len(values) == 0:
		return toolNames()
	case len(values) < len(at.Positional):
		return choices(at.Positional[len(values)])
	}
	var commands []string
	for _, child := range at.Children {
		if !child.Hidden {
			commands = append(commands, child.Name)
		}
	}
	return commands
}

func childOf(at *kong.Node, name string) *kong.Node {
	for _, child := range at.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// valueFlag returns the flag in a word if the next word is its value.
func valueFlag(flags []*kong.Flag, word string) *kong.Flag {
	for _, f := range flags {
		if "--"+f.Name == word && !f.IsBool() {
			return f
		}
	}
	return nil
}

func flagNames(flags []*kong.Flag) []string {
	var all []string
	for _, f := range flags {
		if !f.Hidden {
			all = append(all, "--"+f.Name)
		}
	}
	return all
}

func choices(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

func directTools() []tools.Tool {
	_, direct := toolsOf(new(drafts.Store))
	return direct
}

// toolsOf returns the tools that are offered to the agent's model, and those that can be called directly. Tools that draft
// store their drafts in into. Only the direct tools include the calculator: the model computes with references.
func toolsOf(into *drafts.Store) (offered, direct []tools.Tool) {
	offered = slices.Concat(tools.All(), into.Tools())
	return offered, append(slices.Clone(offered), reference.Calculate())
}

func toolNames() []string {
	var all []string
	for _, t := range directTools() {
		all = append(all, t.Name)
	}
	return all
}

// argumentNames returns the names of arguments that --arg accepts for a tool.
func argumentNames(tool string) []string {
	var all []string
	for _, t := range directTools() {
		var schema struct{ Properties map[string]any }
		if t.Name != tool || json.Unmarshal(t.Parameters, &schema) != nil {
			continue
		}
		for name := range schema.Properties {
			all = append(all, name+"=")
		}
	}
	slices.Sort(all)
	return all
}
