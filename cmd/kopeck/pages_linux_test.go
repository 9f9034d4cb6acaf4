package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// A service that has let go of its own pages answers as before. It runs alone: others would need pages meanwhile.
func TestProgramPagesComeBackWhenNeeded(t *testing.T) {
	d := runDemo(t, sandbox.New(sandbox.Config{Seed: 1, Products: 20}))
	described := fetch(t, d.url+"/openapi.json")
	if _, err := askOne(t, d, exchange{"Что ниже неснижаемого остатка?", false}); err != nil {
		t.Fatal(err)
	}
	before := residentOfFiles(t)
	dropProgramPages()
	if after := residentOfFiles(t); after > before/2 {
		t.Errorf("of %d KB of files %d are still in memory", before, after)
	}
	if fetch(t, d.url+"/openapi.json") != described {
		t.Error("the API is described differently")
	}
	if _, err := askOne(t, d, exchange{"Что ниже неснижаемого остатка?", false}); err != nil {
		t.Error(err)
	}
}

// residentOfFiles is how much of files this process has in memory, in KB.
func residentOfFiles(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "RssFile:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

// Only what the kernel can read again from the file is let go.
func TestOnlyUnwrittenPagesOfTheProgramAreDropped(t *testing.T) {
	t.Parallel()
	const smaps = `00400000-0154b000 r-xp 00000000 fe:00 1 /opt/kopeck
Rss:                4096 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
0154b000-028aa000 r--p 0114b000 fe:00 1 /opt/kopeck
Anonymous:             0 kB
028aa000-028ab000 r--p 0114b000 fe:00 1 /opt/kopeck
Anonymous:             4 kB
028ab000-029f9000 rw-p 024aa000 fe:00 1 /opt/kopeck
Anonymous:             0 kB
7f0000000000-7f0000001000 r--p 00000000 fe:00 2 /mnt/opt/kopeck
Anonymous:             0 kB
7f0000001000-7f0000002000 r--p 00000000 fe:00 3 /opt/kopeck (deleted)
Anonymous:             0 kB
7f0000002000-7f0000003000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x154b000}, {0x154b000, 0x28aa000}}
	if got := unwritten(smaps, "/opt/kopeck"); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}
