package moysklad

import "io"

// DecodePage gives the rows of a list's page.
func DecodePage[T any](body io.Reader) ([]T, error) {
	p, err := decodePage[T](body)
	return p.Rows, err
}

// DecodeCurrent reads a short stock report.
func DecodeCurrent(body io.Reader) (*CurrentStock, error) { return decodeCurrent(body, PhysicalStock) }
