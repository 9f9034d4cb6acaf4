package moysklad

import (
	"errors"
	"io"
)

// DecodePage returns the rows of a page of a list.
func DecodePage[T any](body io.Reader) ([]T, error) {
	p, err := decodePage[T](body)
	return p.Rows, err
}

// DecodeCurrent reads a short stock report.
func DecodeCurrent(body io.Reader) (*CurrentStock, error) { return decodeCurrent(body, PhysicalStock) }

// TooLarge reports whether err means that an answer was too large to be read.
func TooLarge(err error) bool { return errors.Is(err, errTooLarge) }
