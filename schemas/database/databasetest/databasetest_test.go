package databasetest

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// holder is the environment variable that makes a child process of the test start a cluster and wait to be killed.
const holder = "DATABASETEST_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holder) == "" {
		os.Exit(m.Run())
	}
	c, err := startCluster(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.folder)
	select {}
}

func TestClusterEndsWithKilledTestProcess(t *testing.T) {
	ended, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), holder+"=1")
	process.ExtraFiles = []*os.File{writer} // inherited by the server and its watchdog; closed when the last of them exits
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	line := make([]byte, 4096)
	n, err := out.Read(line)
	folder := strings.TrimSpace(string(line[:n]))
	if err != nil || !strings.Contains(folder, "kopeck-pg-") {
		t.Fatalf("the cluster's process printed %q (%v)", folder, err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	process.Wait()
	ended.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.ReadAll(ended); err != nil {
		t.Fatalf("the server is still running: %v", err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder %s is still there", folder)
	}
}

func TestEachDatabaseIsEmptyAndSeparate(t *testing.T) {
	for range 2 {
		Each(t, func(t *testing.T, db *sql.DB) {
			var n int
			if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM organizations`).Scan(&n); err != nil || n != 0 {
				t.Errorf("%d organizations (%v)", n, err)
			}
			if _, err := db.ExecContext(t.Context(), `
				INSERT INTO organizations (id, name, created_at, audit_length, audit_hash) VALUES ('o', 'o', 0, 0, $1)`,
				[]byte{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMissingServerNamesThePackage(t *testing.T) {
	_, err := binaries("/usr/lib/no-such-package/*/bin/postgres")
	if err == nil || !strings.Contains(err.Error(), "apt-get install postgresql") {
		t.Error(err)
	}
}

func TestRestartedServerKeepsCommittedData(t *testing.T) {
	db := open(t, PostgresURL(t)+"&synchronous_commit=on")
	for i, statement := range []string{`CREATE TABLE t (n INTEGER)`, `INSERT INTO t VALUES (1)`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(i, err)
		}
	}
	Restart(t)
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT n FROM t`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}
