package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the linker when a release is built. In other builds, the commit comes from Go's build
// information.
var (
	version = "dev"
	commit  = ""
)

type versionCommand struct{}

func (versionCommand) Run(p *program) error {
	_, err := fmt.Fprintf(p.Out, "kopeck %s (commit %s, %s)\n", version, revision(), runtime.Version())
	return err
}

func revision() string {
	if commit != "" {
		return commit
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
