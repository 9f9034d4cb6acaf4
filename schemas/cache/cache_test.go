package cache_test

import (
	"testing"

	"github.com/kopeck/kopeck/schemas/cache"
)

func TestTheTotalSizeIsBounded(t *testing.T) {
	c := cache.New[string](10, func(text string) int { return len(text) })
	kept := func(want map[string]string) {
		t.Helper()
		for _, key := range []string{"a", "b", "c"} {
			if value, is := c.Get(key); value != want[key] || is != (want[key] != "") {
				t.Errorf("%s: %q, %v, want %q", key, value, is, want[key])
			}
		}
	}
	c.Set("a", "1234")
	c.Set("b", "123456")
	kept(map[string]string{"a": "1234", "b": "123456"})
	c.Get("a")
	c.Set("c", "1") // the sizes now add up to 11, so b, the least recently used, is removed
	kept(map[string]string{"a": "1234", "c": "1"})
	c.Set("a", "123456789") // replaces the earlier value of a
	kept(map[string]string{"a": "123456789", "c": "1"})
	c.Set("b", "12345678901") // larger than the whole cache
	kept(map[string]string{"a": "123456789", "c": "1"})
	c.Set("a", "12345678901") // not stored either, but the earlier value of a is removed
	kept(map[string]string{"c": "1"})
	c.Remove("c")
	c.Set("b", "1234567890") // fits only if the removed values no longer count
	kept(map[string]string{"b": "1234567890"})
}
