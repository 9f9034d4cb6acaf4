package main

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// A service that has let go of its own pages answers as before. It runs alone: others would need pages meanwhile.
func TestProgramPagesComeBackWhenNeeded(t *testing.T) {
	d := runDemo(t, sandbox.New(sandbox.Config{Seed: 1, Products: 20}))
	described := fetch(t, d.url+"/openapi.json")
	if _, err := askOne(t, d, exchange{"Что ниже неснижаемого остатка?", false}); err != nil {
		t.Fatal(err)
	}
	before := residentOfFiles(t, "self")
	dropProgramPages()
	if after := residentOfFiles(t, "self"); after > before/2 {
		t.Errorf("of %d KB of files %d are still in memory", before, after)
	}
	if fetch(t, d.url+"/openapi.json") != described {
		t.Error("the API is described differently")
	}
	if _, err := askOne(t, d, exchange{"Что ниже неснижаемого остатка?", false}); err != nil {
		t.Error(err)
	}
}

// residentOfFiles is how much of files a process has in memory, in KB; 0 if it is only beginning, or has ended.
func residentOfFiles(t *testing.T, process string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, there := strings.Cut(string(text), "RssFile:")
	if !there {
		return 0
	}
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

// The program as it is started lets go of its pages when nobody asks. What a process has of files only grows otherwise.
func TestTheProgramItselfLetsGoOfItsPages(t *testing.T) {
	t.Parallel()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for _, as := range [][]string{{"serve"}, {"serve", "--demo"}} {
		t.Run(strings.Join(as, " "), func(t *testing.T) {
			t.Parallel()
			address := reserved(t)
			command := exec.CommandContext(t.Context(), program, as...)
			command.Env = append(withoutSettings(os.Environ()), "KOPECK_ADDR="+address, "TMPDIR="+t.TempDir(),
				"KOPECK_MASTER_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32)), "KOPECK_DATABASE_URL=sqlite:"+filepath.Join(t.TempDir(), "kopeck.db"))
			log := &lockedBuffer{}
			command.Stderr = log
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = command.Wait() }) // the test's end has killed it
			deadline, most := time.Now().Add(patience), 0
			for look := 1; ; look++ {
				now := residentOfFiles(t, strconv.Itoa(command.Process.Pid))
				if most = max(most, now); 0 < now && now < most*9/10 {
					return
				}
				if look%500 == 0 { // it may have let go of them between two looks: they come back with a question
					if res, err := http.Get("http://" + address + "/openapi.json"); err == nil {
						res.Body.Close()
					}
				}
				if !pass(t.Context(), 20*time.Millisecond) || time.Now().After(deadline) || now == 0 && most > 0 {
					t.Fatalf("%d KB of files are in memory, %d at most\n%s", now, most, log)
				}
			}
		})
	}
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
