package wire

// Open returns the number of open connections, both in use and idle.
func (h *Host) Open() int { return h.client.ConnsCount() }
