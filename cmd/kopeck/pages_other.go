//go:build !linux

package main

// dropProgramPages does nothing: only Linux is known to bring pages back by themselves.
func dropProgramPages() {}
