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

// component is a component of CycloneDX 1.6.
type component struct {
	Type    string          `json:"type"`
	Name    string          `json:"name"`
	Version string          `json:"version"`
	URL     string          `json:"purl,omitempty"`
	Hashes  []componentHash `json:"hashes,omitempty"`
}

type componentHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// Run prints the modules that are linked into the program. Go records them in the executable.
func (sbomCommand) Run(p *program) error {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without a record of its modules")
	}
	parts := []component{
		{Type: "library", Name: "std", Version: build.GoVersion, URL: "pkg:golang/std@" + strings.TrimPrefix(build.GoVersion, "go")},
	}
	for _, module := range build.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(
			parts,
			component{Type: "library", Name: module.Path, Version: module.Version, URL: "pkg:golang/" + module.Path + "@" + module.Version,
				Hashes: hashOf(module.Sum)},
		)
	}
	encoder := json.NewEncoder(p.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": component{Type: "application", Name: build.Main.Path, Version: version + "+" + revision()}},
		"components": parts,
	})
}

// hashOf converts a sum from go.sum, which is a SHA-256 of the module's files, to the form that CycloneDX's own tool for Go
// writes.
func hashOf(sum string) []componentHash {
	hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || len(hash) == 0 {
		return nil
	}
	return []componentHash{{"SHA-256", hex.EncodeToString(hash)}}
}
