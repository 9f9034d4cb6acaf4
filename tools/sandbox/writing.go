package sandbox

func (s *Sandbox) writingRoutes(_ func(string, answer)) {}
