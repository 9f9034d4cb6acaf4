package grounding

import (
	"regexp"
	"strings"
)

// secretForms are organization keys, the upstream's tokens and credentials of HTTP headers, whoever they belong to.
var secretForms = regexp.MustCompile(`sk-org-[0-9A-Za-z]{61}|\b[0-9a-fA-F]{40}\b|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}`)

// Redact replaces the given secrets, and whatever has the form of one, with asterisks. It is meant for both directions:
// what goes to a model and what comes from it.
func Redact(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return secretForms.ReplaceAllString(text, "***")
}
