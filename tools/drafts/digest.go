package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"
)

// digestOf is SHA-256 over the RFC 8785 form of everything that a confirmation stands for.
func digestOf(d Draft) (string, error) {
	content, err := json.Marshal(map[string]any{
		"organization": d.organizationID,
		"account":      d.AccountID,
		"draft":        d.ID,
		"kind":         d.Kind,
		"payload":      d.payload,
		"syncId":       d.syncID,
	})
	if err != nil {
		return "", fmt.Errorf("write the draft's content: %w", err)
	}
	canonical, err := jcs.Transform(content)
	if err != nil {
		return "", fmt.Errorf("canonical form of the draft: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// codeAlphabet is Crockford's base 32: no letters that are read as digits.
const codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeOf is what people type: two letters of the kind and six characters that stand for the digest's first 30 bits.
func codeOf(kind Kind, digest string) string {
	raw, _ := hex.DecodeString(digest[:8]) // made by digestOf
	bits := uint32(raw[0])<<24 | uint32(raw[1])<<16 | uint32(raw[2])<<8 | uint32(raw[3])
	code := []byte(letters[kind] + "-")
	for shift := 27; shift >= 2; shift -= 5 {
		code = append(code, codeAlphabet[bits>>shift&31])
	}
	return string(code)
}

// confirmWords begin the one message that confirms a draft in chat.
var confirmWords = []string{"confirm ", "подтверждаю "}

// CodeIn is the code that a message confirms: the message is exactly the word and a code, nothing before or after but
// spaces. No other message confirms anything.
func CodeIn(message string) (code string, ok bool) {
	message = strings.TrimSpace(message)
	for _, word := range confirmWords {
		if len(message) == len(word)+len("PO-7K3M9X") && strings.EqualFold(message[:len(word)], word) {
			code = strings.ToUpper(message[len(word):])
			return code, wellFormed(code)
		}
	}
	return "", false
}

// cancelWords are the messages that cancel a draft in chat, each by itself or with a code behind it.
var cancelWords = []string{"cancel", "отмени", "отменить", "отмена"}

// CancelledIn tells whether a message cancels a draft, and the code that it names; without one the latest that waits is meant.
// It is taken no less exactly than a confirmation, though nothing is written by it.
func CancelledIn(message string) (code string, ok bool) {
	fields := strings.Fields(strings.TrimRight(message, ".! \n"))
	if len(fields) == 0 || len(fields) > 2 || !slices.Contains(cancelWords, strings.ToLower(fields[0])) {
		return "", false
	}
	if len(fields) == 1 {
		return "", true
	}
	code = strings.ToUpper(fields[1])
	return code, wellFormed(code)
}

func wellFormed(code string) bool {
	prefix, digits, _ := strings.Cut(code, "-")
	known := false
	for _, l := range letters {
		known = known || l == prefix
	}
	return known && len(digits) == 6 && strings.Trim(digits, codeAlphabet) == ""
}
