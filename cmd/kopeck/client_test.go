package main

import (
	"strings"
	"testing"
)

// The demo prints a base URL for OpenAI's clients. Commands accept it too.
func TestBaseURLIsAccepted(t *testing.T) {
	for given, want := range map[string]string{
		"http://127.0.0.1:8080":            "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/":           "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/v1":         "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/api/v1/":    "http://127.0.0.1:8080",
		"https://shop.example/kopeck/":     "https://shop.example/kopeck",
		"https://shop.example/kopeck/v1":   "https://shop.example/kopeck",
		"https://shop.example/kopeck/api/": "https://shop.example/kopeck/api",
	} {
		if got := (&client{URL: given}).baseURL(); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestErrorsNameSettingsOfTheCommandLine(t *testing.T) {
	err := serviceError([]byte(`{"detail":{"code":"REQUEST_INVALID","message":"The key belongs to all organizations.",
		"hint":"Name one in the X-Org-Id header.","fields":[{"field":"X-Org-Id","problem":"is required with an operator's key"}]}}`))
	if err == nil || !strings.HasPrefix(err.Error(), "KOPECK_KEY (--key) holds an operator's key") || strings.Contains(err.Error(), "header") {
		t.Error(err)
	}
}
