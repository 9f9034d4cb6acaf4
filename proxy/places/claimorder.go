package places

import "fmt"

// ClaimOrder selects the next rows from a table of tasks that several processes work on. The table has the columns id,
// organization_id and lease_until. While a process works on a row, its lease ends in the future. All fields must be
// constants, because they become part of the SQL.
type ClaimOrder struct {
	Table             string
	Waiting           string // condition for rows that are still to be processed
	Due               string // column with the time from which a row may be processed
	SubGroup          string // column that divides an organization's rows into groups
	MaxInSubGroup     int    // how many rows of a group may be processed at once
	MaxOfOrganization int    // how many rows of an organization may be processed at once
}

// Query returns SQL that selects the ids of the rows to process now. $1 is the time, and $2 the number of rows.
// Organizations take turns: the first row of each comes before the second row of any.
func (l ClaimOrder) Query() string {
	return fmt.Sprintf(`
		SELECT id FROM (
			SELECT id, due, lease_until, row_number() OVER (PARTITION BY organization_id ORDER BY %[1]s, due) AS turn
			FROM (
				SELECT id, organization_id, lease_until, %[2]s AS due, row_number() OVER (PARTITION BY %[3]s ORDER BY %[1]s, %[2]s) AS place
				FROM %[4]s WHERE %[5]s AND %[2]s <= $1) AS ready
			WHERE place <= %[6]d) AS ordered
		WHERE turn <= %[7]d AND lease_until <= $1 ORDER BY turn, due LIMIT $2`,
		`CASE WHEN lease_until > $1 THEN 0 ELSE 1 END`, l.Due, l.SubGroup, l.Table, l.Waiting, l.MaxInSubGroup, l.MaxOfOrganization)
}
