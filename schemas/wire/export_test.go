package wire

// Open returns the number of connections, in use and idle.
func (h *Host) Open() int { return h.client.ConnsCount() }
