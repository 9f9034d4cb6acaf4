package proxy

import (
	"bytes"
	"encoding/binary"
)

// maxNesting is the same limit as in encoding/json.
const maxNesting = 10000

// jsonScanner finds where JSON values end. It accepts exactly what [encoding/json.Valid] accepts. Bodies consist mostly of
// long strings, and for these it is 30 times as fast as encoding/json, which looks at each byte.
type jsonScanner struct {
	text []byte
	pos  int
}

// peek returns the current byte; 0 at the end of the text, where no value begins.
func (s *jsonScanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// accept skips the byte if it is next.
func (s *jsonScanner) accept(b byte) bool {
	if s.peek() != b || s.pos >= len(s.text) {
		return false
	}
	s.pos++
	return true
}

func (s *jsonScanner) skipSpace() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// skipValue skips a value that is nested in depth objects and arrays. Like all methods that return a bool, it returns false
// if the JSON is invalid.
func (s *jsonScanner) skipValue(depth int) bool {
	switch c := s.peek(); {
	case c == '"':
		return s.skipString()
	case c == '{':
		return s.readObject(depth+1, nil)
	case c == '[':
		return s.skipArray(depth + 1)
	case c == '-', '0' <= c && c <= '9':
		return s.skipNumber()
	}
	return s.skipLiteral("true") || s.skipLiteral("false") || s.skipLiteral("null")
}

// readObject skips an object and calls member, unless it is nil, for each of its members.
func (s *jsonScanner) readObject(depth int, member func(key, value byteRange)) bool {
	s.pos++
	s.skipSpace()
	if depth > maxNesting {
		return false
	}
	if s.accept('}') {
		return true
	}
	for {
		key := byteRange{from: s.pos}
		if s.peek() != '"' || !s.skipString() {
			return false
		}
		key.to = s.pos
		s.skipSpace()
		if !s.accept(':') {
			return false
		}
		s.skipSpace()
		value := byteRange{from: s.pos}
		if !s.skipValue(depth) {
			return false
		}
		value.to = s.pos
		if member != nil {
			member(key, value)
		}
		s.skipSpace()
		if !s.accept(',') {
			return s.accept('}')
		}
		s.skipSpace()
	}
}

func (s *jsonScanner) skipArray(depth int) bool {
	s.pos++
	s.skipSpace()
	if depth > maxNesting {
		return false
	}
	if s.accept(']') {
		return true
	}
	for {
		if !s.skipValue(depth) {
			return false
		}
		s.skipSpace()
		if !s.accept(',') {
			return s.accept(']')
		}
		s.skipSpace()
	}
}

func (s *jsonScanner) skipLiteral(w string) bool {
	if !bytes.HasPrefix(s.text[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *jsonScanner) skipNumber() bool {
	s.accept('-')
	if !s.accept('0') && !s.skipDigits() {
		return false
	}
	if s.accept('.') && !s.skipDigits() {
		return false
	}
	if s.accept('e') || s.accept('E') {
		if !s.accept('+') {
			s.accept('-')
		}
		return s.skipDigits()
	}
	return true
}

func (s *jsonScanner) skipDigits() bool {
	from := s.pos
	for '0' <= s.peek() && s.peek() <= '9' {
		s.pos++
	}
	return s.pos > from
}

func (s *jsonScanner) skipString() bool {
	s.pos++
	for {
		s.skipOrdinary()
		switch c := s.peek(); {
		case c == '"':
			s.pos++
			return true
		case c == '\\':
			if !s.skipEscape() {
				return false
			}
		case c < ' ': // includes the 0 at the end of the text
			return false
		default:
			s.pos++
		}
	}
}

func (s *jsonScanner) skipEscape() bool {
	s.pos++
	c := s.peek()
	s.pos++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if !isHex(s.peek()) {
				return false
			}
			s.pos++
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// skipOrdinary skips bytes of a string that have no special meaning, eight at a time. It stops at the first eight that may
// contain a special byte.
func (s *jsonScanner) skipOrdinary() {
	for s.pos+8 <= len(s.text) {
		eight := binary.LittleEndian.Uint64(s.text[s.pos:])
		if below(eight, ' ')|below(eight^(ones*'"'), 1)|below(eight^(ones*'\\'), 1) != 0 {
			return
		}
		s.pos += 8
	}
}

const ones = 0x0101010101010101

// below returns nonzero if any of the eight bytes is less than n, which must be at most 128 (Hacker's Delight, 6-1).
func below(eight, n uint64) uint64 {
	return (eight - ones*n) & ^eight & (ones * 0x80)
}
