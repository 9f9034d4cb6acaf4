package tools

import "github.com/kopeck/kopeck/tools/moysklad"

// Errors of reading an account. They are not caused by the arguments. Test for them with errors.Is. Do not show their
// text to users, because it contains details of the network.
var (
	ErrUnavailable = moysklad.ErrUnavailable // no answer, even after retries
	ErrTimeout     = moysklad.ErrTimeout     // no answer within the request's time
	ErrIncomplete  = moysklad.ErrIncomplete  // a list changed while it was read, or is not whole
	ErrTooLarge    = moysklad.ErrTooLarge    // the answer takes too much memory
	ErrPermission  = moysklad.ErrPermission  // the employee's role does not allow it
)
