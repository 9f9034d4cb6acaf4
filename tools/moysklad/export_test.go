package moysklad

import "io"

// DecodePage returns the rows of a page of a list.
func DecodePage[T any](body io.Reader) ([]T, error) {
	p, err := decodePage[T](body)
	return p.Rows, err
}

// DecodeCurrent reads a short stock report.
func DecodeCurrent(body io.Reader) (*CurrentStock, error) { return decodeCurrent(body, PhysicalStock) }
