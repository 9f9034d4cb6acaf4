package keys

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatIsRememberedIsNotOutOfDate(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	m := newMemory[string, int]()
	stands := func(when time.Duration, want bool) {
		t.Helper()
		if _, ok := m.recall("a", noon.Add(when)); ok != want {
			t.Errorf("%v after it was read: remembered is %v, want %v", when, ok, want)
		}
	}
	m.asking(noon)("a", 1)
	stands(0, true)
	stands(rememberedFor-1, true)
	stands(rememberedFor, false)
	stands(-1, false) // the clock was set back: who knows how far
	m.forget()
	stands(0, false)

	remember := m.asking(noon)
	m.forget() // changed while it was read
	remember("a", 1)
	stands(0, false)
}

func TestMemoryIsBounded(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	m := newMemory[int, int]()
	for n := range mostRemembered + 10 {
		m.asking(noon)(n, n)
	}
	if len(m.known) != mostRemembered {
		t.Errorf("%d are remembered, want %d", len(m.known), mostRemembered)
	}
}

func TestAnIdleMemoryIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory[int, int]()
		m.asking(time.Now())(1, 1)
		time.Sleep(rememberedFor)
		synctest.Wait()
		if len(m.known) != 0 {
			t.Error("what nobody asks for is kept")
		}
	})
}
