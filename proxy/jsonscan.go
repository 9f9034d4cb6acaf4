package proxy

import (
	"bytes"
	"encoding/binary"
)

// maxNesting is the same limit as in encoding/json.
const maxNesting = 10000

// scanner finds the ends of JSON values. It accepts exactly what [encoding/json.Valid] accepts. A body is mostly one long
// string, and encoding/json takes 30 times as long because it looks at each byte.
type scanner struct {
	text []byte
	at   int
}

// next returns the current byte; 0 at the end, which starts no value.
func (s *scanner) next() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) take(b byte) bool {
	if s.next() != b || s.at >= len(s.text) {
		return false
	}
	s.at++
	return true
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// value skips a value at the given depth.
func (s *scanner) value(depth int) bool {
	switch c := s.next(); {
	case c == '"':
		return s.string()
	case c == '{':
		return s.object(depth+1, nil)
	case c == '[':
		return s.array(depth + 1)
	case c == '-', '0' <= c && c <= '9':
		return s.number()
	}
	return s.word("true") || s.word("false") || s.word("null")
}

// object skips an object and calls member, unless it is nil, for each of its members.
func (s *scanner) object(depth int, member func(key, value span)) bool {
	s.at++
	s.space()
	if depth > maxNesting {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key := span{from: s.at}
		if s.next() != '"' || !s.string() {
			return false
		}
		key.to = s.at
		s.space()
		if !s.take(':') {
			return false
		}
		s.space()
		value := span{from: s.at}
		if !s.value(depth) {
			return false
		}
		value.to = s.at
		if member != nil {
			member(key, value)
		}
		s.space()
		if !s.take(',') {
			return s.take('}')
		}
		s.space()
	}
}

func (s *scanner) array(depth int) bool {
	s.at++
	s.space()
	if depth > maxNesting {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !s.value(depth) {
			return false
		}
		s.space()
		if !s.take(',') {
			return s.take(']')
		}
		s.space()
	}
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for '0' <= s.next() && s.next() <= '9' {
		s.at++
	}
	return s.at > from
}

func (s *scanner) string() bool {
	s.at++
	for {
		s.ordinary()
		switch c := s.next(); {
		case c == '"':
			s.at++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < ' ': // also at the end
			return false
		default:
			s.at++
		}
	}
}

func (s *scanner) escape() bool {
	s.at++
	c := s.next()
	s.at++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if !isHex(s.next()) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// ordinary skips ordinary bytes of a string, eight at a time. It stops at eight bytes that may contain a special one.
func (s *scanner) ordinary() {
	for s.at+8 <= len(s.text) {
		eight := binary.LittleEndian.Uint64(s.text[s.at:])
		if below(eight, ' ')|below(eight^(ones*'"'), 1)|below(eight^(ones*'\\'), 1) != 0 {
			return
		}
		s.at += 8
	}
}

const ones = 0x0101010101010101

// below returns nonzero if any of the eight bytes is less than n, which must be at most 128 (Hacker's Delight, 6-1).
func below(eight, n uint64) uint64 {
	return (eight - ones*n) & ^eight & (ones * 0x80)
}
