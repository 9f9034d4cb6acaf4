package places

import "fmt"

// Line is a table of what waits to be done by any process, with the columns id, organization_id and lease_until: what has a
// lease in the future is being done. All of it is constant text of the program, never of a user.
type Line struct {
	Table   string
	Waiting string // condition of the rows that wait
	Due     string // column of the moment from which on a row may be done
	Lane    string // column by which an organization's rows are bounded once more
	InLane  int    // rows of one lane that may be done at once
	Each    int    // and of one organization
}

// Next is SQL for the ids of what may be done now: $1 is the moment, $2 how many. The first of each organization come before
// the second of any.
func (l Line) Next() string {
	return fmt.Sprintf(`
		SELECT id FROM (
			SELECT id, due, lease_until, row_number() OVER (PARTITION BY organization_id ORDER BY %[1]s, due) AS turn
			FROM (
				SELECT id, organization_id, lease_until, %[2]s AS due, row_number() OVER (PARTITION BY %[3]s ORDER BY %[1]s, %[2]s) AS place
				FROM %[4]s WHERE %[5]s AND %[2]s <= $1) AS ready
			WHERE place <= %[6]d) AS ordered
		WHERE turn <= %[7]d AND lease_until <= $1 ORDER BY turn, due LIMIT $2`,
		`CASE WHEN lease_until > $1 THEN 0 ELSE 1 END`, l.Due, l.Lane, l.Table, l.Waiting, l.InLane, l.Each)
}
