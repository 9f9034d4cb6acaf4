//go:build race

package answer

// slower is by how much the race detector slows the tests down.
const slower = 20
