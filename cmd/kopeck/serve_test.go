package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two processes on one SQLite file would each keep a pace of their own. The lock of a killed process does not stop the next
// one, and other commands work beside the service.
func TestSQLiteIsServedByOneProcess(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "kopeck.db")
	f := launch(t, url, 1)
	settings := []string{"--database-url=" + url, "--master-key=" + testMasterKey}
	code, output := runKopeck(t, append([]string{"serve", "--addr=127.0.0.1:0"}, settings...)...)
	if code != 1 || !strings.Contains(output, "another process serves this database; stop the other kopeck serve") {
		t.Errorf("a second serve: exit code %d, %s", code, output)
	}
	if code, output := runKopeck(t, append([]string{"org", "create", "Shop"}, settings...)...); code != 0 {
		t.Errorf("org create: exit code %d, %s", code, output)
	}
	f.replicas[0].restart()
}
