package tools

import "github.com/kopeck/kopeck/tools/moysklad"

// Why a tool could not read the account, for those who put it into words; test with errors.Is. Neither the question nor its
// arguments are to blame, and the error's own text tells of the network inside.
var (
	ErrUnavailable = moysklad.ErrUnavailable // no answer, also when asked again
	ErrTimeout     = moysklad.ErrTimeout     // no answer within the request's time
	ErrIncomplete  = moysklad.ErrIncomplete  // a list changed while it was read
	ErrPermission  = moysklad.ErrPermission  // the employee's role does not allow it
)
