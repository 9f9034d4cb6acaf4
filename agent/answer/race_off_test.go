//go:build !race

package answer

const slower = 1
