package wire

// Open is how many connections there are, in use and idle.
func (h *Host) Open() int { return h.client.ConnsCount() }
