package tools

import "github.com/kopeck/kopeck/tools/moysklad"

// Errors of reading an account; test with errors.Is. They are not caused by the arguments. Do not show their text to
// users: it contains details of the network.
var (
	ErrUnavailable = moysklad.ErrUnavailable // no answer, even after retries
	ErrTimeout     = moysklad.ErrTimeout     // no answer within the request's time
	ErrIncomplete  = moysklad.ErrIncomplete  // a list changed while it was read
	ErrPermission  = moysklad.ErrPermission  // the employee's role does not allow it
)
