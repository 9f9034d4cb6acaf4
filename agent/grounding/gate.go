package grounding

// Gate passes an answer on sentence by sentence, each once it is checked. After the first problem nothing more is
// released, and the rest is only read for further problems.
type Gate struct {
	check    *Check
	release  func(string)
	released []byte
	pending  []byte
	problems []Problem
}

// Write takes the next part of the answer, of any length.
func (g *Gate) Write(delta string) { g.pending = append(g.pending, delta...) }

// Close ends the answer, releases what is left of it, and tells all that did not pass; none means that all was released.
func (g *Gate) Close() []Problem { return g.problems }

// Released is the text that has passed so far.
func (g *Gate) Released() string { return string(g.released) }

// Failed reports whether a problem was met, so that a caller need not wait for the end.
func (g *Gate) Failed() bool { return len(g.problems) > 0 }
