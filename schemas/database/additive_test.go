package database

import (
	_ "embed"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
)

// released is the last migration of the oldest program that may still be running when a newer one migrates the database.
const released = 10

// additions matches statements that do not affect a program that does not know them.
var additions = regexp.MustCompile(`(?is)^(` +
	`CREATE TABLE (\w+) |` +
	`CREATE INDEX |` +
	`ALTER TABLE \w+ ADD COLUMN \w+ \w+( DEFAULT \S+| NOT NULL DEFAULT \S+)?$` +
	`)`)

var uniqueIndex = regexp.MustCompile(`(?is)^CREATE UNIQUE INDEX \w+ ON (\w+)`)

// During a rolling upgrade, the old program runs on the tables of the new one.
func TestMigrationsOnlyAdd(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if number, err := goose.NumericComponent(path.Base(name)); err != nil || number <= released {
			continue
		}
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, notice := range breakingStatements(string(text)) {
			t.Errorf("%s: %.100q can break an older program: only add in this release, and drop in a later one", name, notice)
		}
	}
}

// breakingStatements returns the statements of a migration that could break an older program.
func breakingStatements(migration string) (all []string) {
	var statements []string
	made := map[string]bool{} // tables created by the migration
	for statement := range strings.SplitSeq(comments.ReplaceAllString(migration, ""), ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if match := additions.FindStringSubmatch(statement); match != nil {
			made[match[2]] = true
		}
		statements = append(statements, statement)
	}
	for _, s := range statements {
		unique := uniqueIndex.FindStringSubmatch(s)
		if s != "" && !additions.MatchString(s) && (unique == nil || !made[unique[1]]) {
			all = append(all, s)
		}
	}
	return all
}

var comments = regexp.MustCompile(`(?m)--.*$`)

func TestBreakingStatementsAreFound(t *testing.T) {
	for statement, breaks := range map[string]bool{
		"ALTER TABLE keys ADD COLUMN note TEXT":                               false,
		"ALTER TABLE keys ADD COLUMN uses BIGINT NOT NULL DEFAULT 0":          false,
		"CREATE TABLE t (id TEXT NOT NULL); CREATE UNIQUE INDEX u ON t (id)":  false,
		"CREATE INDEX keys_by_name ON keys (name)":                            false,
		"ALTER TABLE keys ADD COLUMN note TEXT NOT NULL":                      true,
		"ALTER TABLE keys DROP COLUMN name":                                   true,
		"ALTER TABLE keys RENAME COLUMN name TO label":                        true,
		"ALTER TABLE keys ALTER COLUMN last_used_at SET NOT NULL":             true,
		"CREATE UNIQUE INDEX names ON keys (name)":                            true,
		"DROP TABLE idempotency":                                              true,
		"ALTER TABLE keys ADD COLUMN a TEXT; ALTER TABLE keys DROP COLUMN id": true,
	} {
		if got := len(breakingStatements("-- +goose Up\n"+statement+";\n")) > 0; got != breaks {
			t.Errorf("%s: breaking is %v, want %v", statement, got, breaks)
		}
	}
}

//go:embed testdata/before.sql
var before string

// statementsBefore returns the statements that the released program runs.
func statementsBefore() (statements []string) {
	for statement := range strings.SplitSeq(comments.ReplaceAllString(before, ""), ";") {
		if strings.TrimSpace(statement) != "" {
			statements = append(statements, statement)
		}
	}
	return statements
}
