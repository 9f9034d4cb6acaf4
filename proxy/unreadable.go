package proxy

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/kopeck/kopeck/proxy/problem"
)

// unreadableProblem maps the errors of requests that could not be parsed.
func unreadableProblem(err error) *problem.Problem {
	var tooLong *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &tooLong):
		return problem.New(http.StatusRequestHeaderFieldsTooLarge, "REQUEST_INVALID",
			fmt.Sprintf("The request's headers are over %d KiB.", maxHeaders>>10), "Send fewer or shorter headers.")
	case timedOut(err):
		return tooSlow(fmt.Sprintf("The request's head was not complete within %d seconds.", int(headTime.Seconds())))
	}
	return problem.Invalid("The request is not well-formed HTTP.", "Send it with an HTTP client.")
}

// bodyProblem maps the errors of reading a body.
func bodyProblem(err error, limit time.Duration) error {
	var known *problem.Problem
	switch {
	case errors.As(err, &known):
		return known
	case timedOut(err):
		return tooSlow(fmt.Sprintf("The request's body was not complete within %d seconds.", int(limit.Seconds()))).WithCause(err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return problem.Invalid("The body is not gzip, although its Content-Encoding says so.", "Send valid gzip, or no Content-Encoding.").WithCause(err)
	}
	return problem.Invalid("The request's body is not well-formed HTTP, or ends early.", "Send it with an HTTP client.").WithCause(err)
}

func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

func tooSlow(message string) *problem.Problem {
	return problem.New(http.StatusRequestTimeout, "REQUEST_INVALID", message, "Send it again without pauses.").RetryIn(time.Second)
}
