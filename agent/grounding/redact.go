package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// secretForms are organization keys, the upstream's tokens and credentials of HTTP headers, whoever they belong to.
var secretForms = expression.Of(`sk-org-[0-9A-Za-z]{61}|\b[0-9a-fA-F]{40}\b|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}`)

// Redact replaces the given secrets, and whatever has the form of one, with asterisks. It is meant for both directions:
// what goes to a model and what comes from it.
func Redact(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	if !mayHoldSecret(text) {
		return text
	}
	return secretForms.ReplaceAllString(text, "***")
}

// shortestToken is the length of the shortest word that may be a secret by itself.
const shortestToken = 40

// mayHoldSecret is a look that costs a hundredth of [secretForms]: every match of it has a word of 40 characters or more,
// begins with a key's prefix, or has the word bearer.
func mayHoldSecret(text string) bool {
	word := 0 // length of the word that ends here
	for i := range len(text) {
		if wordByte[text[i]] {
			word++
			continue
		}
		if word >= shortestToken || word == len(bearer) && strings.EqualFold(text[i-word:i], bearer) {
			return true
		}
		word = 0
	}
	return word >= shortestToken || strings.Contains(text, "sk-org-")
}

const bearer = "bearer"

// wordByte tells the bytes between which the expressions see no \b.
var wordByte = func() (is [256]bool) {
	for _, c := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" {
		is[c] = true
	}
	return is
}()
