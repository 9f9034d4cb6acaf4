package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"
)

type sbomCommand struct{}

// part is a component of CycloneDX 1.6.
type part struct {
	Type    string     `json:"type"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	URL     string     `json:"purl,omitempty"`
	Hashes  []partHash `json:"hashes,omitempty"`
}

type partHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// Run prints what the program was built of, as the program itself records it: modules that are linked, and no others.
func (sbomCommand) Run(p *program) error {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without a record of its modules")
	}
	parts := []part{
		{Type: "library", Name: "std", Version: build.GoVersion, URL: "pkg:golang/std@" + strings.TrimPrefix(build.GoVersion, "go")},
	}
	for _, module := range build.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(
			parts,
			part{Type: "library", Name: module.Path, Version: module.Version, URL: "pkg:golang/" + module.Path + "@" + module.Version,
				Hashes: hashOf(module.Sum)},
		)
	}
	encoder := json.NewEncoder(p.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": part{Type: "application", Name: build.Main.Path, Version: version + "+" + revision()}},
		"components": parts,
	})
}

// hashOf is the sum of go.sum, which is a SHA-256 over the module's files, as CycloneDX's tool for Go writes it.
func hashOf(sum string) []partHash {
	digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || len(digest) == 0 {
		return nil
	}
	return []partHash{{"SHA-256", hex.EncodeToString(digest)}}
}
