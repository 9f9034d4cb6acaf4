package moysklad

import (
	"errors"
	"io"
)

// DecodePage gives the rows of a list's page.
func DecodePage[T any](body io.Reader) ([]T, error) {
	p, err := decodePage[T](body)
	return p.Rows, err
}

// DecodeCurrent reads a short stock report.
func DecodeCurrent(body io.Reader) (*CurrentStock, error) { return decodeCurrent(body, PhysicalStock) }

// TooLarge tells that an answer was not read since it is too large.
func TooLarge(err error) bool { return errors.Is(err, errTooLarge) }
