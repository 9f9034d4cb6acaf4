package databasetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"
)

const superuser = "kopeck"

// watchdog is a shell script that runs the server until its standard input is closed, which happens when the test process
// exits for any reason. It then stops the server and removes the folder. When it reads a line, it stops the server in
// immediate mode, which is like a crash, and starts it again. $1 is the folder, the other arguments are the server's
// command.
const watchdog = `
folder=$1; shift
while :; do
	"$@" >>"$folder/log" 2>&1 &
	server=$!
	read -r _; again=$?
	kill -QUIT $server
	wait $server
	[ $again = 0 ] || break
done
rm -rf "$folder"
`

// cluster is a PostgreSQL server started by this test process, with its socket in the folder. It runs until the process
// exits, so it must not be started with the context of a single test.
type cluster struct {
	folder string
	admin  *sql.DB
	alive  io.Writer // the watchdog's standard input; the system closes it when this process exits
}

func startCluster(ctx context.Context) (*cluster, error) {
	bin, err := binaries(debianBinaries)
	if err != nil {
		return nil, err
	}
	owner, err := ordinaryUser()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(memoryFolder(), "kopeck-pg-")
	if err != nil {
		folder, err = os.MkdirTemp("", "kopeck-pg-") // try the default folder: the one in memory may not be writable
	}
	if err != nil {
		return nil, fmt.Errorf("create a folder for PostgreSQL: %w", err)
	}
	c := &cluster{folder: folder}
	if err := c.initialize(ctx, bin, owner); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if err := c.serve(ctx, bin, owner); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return c, c.connect(ctx)
}

func (c *cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *cluster) initialize(ctx context.Context, bin string, owner *syscall.Credential) error {
	if owner != nil {
		if err := os.Chown(c.folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("give the folder to PostgreSQL's user: %w", err)
		}
	}
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata", c.data(), "--username", superuser,
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--no-instructions")
	initdb.Dir, initdb.SysProcAttr = c.folder, &syscall.SysProcAttr{Credential: owner}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// serve starts the server and its watchdog in a session of their own, so that an interrupt from the terminal does not end
// the watchdog before it has cleaned up.
func (c *cluster) serve(ctx context.Context, bin string, owner *syscall.Credential) (err error) {
	server := exec.CommandContext(ctx, "/bin/sh", "-c", watchdog, "watchdog", c.folder,
		filepath.Join(bin, "postgres"), "-D", c.data(), "-k", c.folder, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300",
		"-c", "max_wal_size=128MB")
	server.Dir, server.SysProcAttr = c.folder, &syscall.SysProcAttr{Credential: owner, Setsid: true}
	if c.alive, err = server.StdinPipe(); err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	return nil
}

// connect waits until the server answers.
func (c *cluster) connect(ctx context.Context) error {
	admin, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		return err
	}
	c.admin = admin
	return c.waitForRestart(ctx, "")
}

// startTime returns when the running server was started, or "" if it does not answer.
func (c *cluster) startTime() (since string) {
	_ = c.admin.QueryRow(`SELECT pg_postmaster_start_time()::text`).Scan(&since)
	return since
}

// waitForRestart waits until the server answers and its start time is no longer before. An empty before means any time.
func (c *cluster) waitForRestart(ctx context.Context, before string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		if now := c.startTime(); now != "" && now != before {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(c.folder, "log"))
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", ctx.Err(), log)
		case <-retry.C:
		}
	}
}

// debianBinaries matches the servers that Debian's packages install.
const debianBinaries = "/usr/lib/postgresql/*/bin/postgres"

// binaries returns the folder of the newest installed server.
func binaries(pattern string) (string, error) {
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		return "", errors.New("these tests need PostgreSQL's server binaries: apt-get install postgresql" +
			" (the cluster that the package starts is not used)")
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

func version(binary string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(binary))))
	return number
}

// ordinaryUser returns the user to run the server as, or nil for the current user. PostgreSQL refuses to run as root.
func ordinaryUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			continue
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}
