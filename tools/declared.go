package tools

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

//go:embed *.yaml
var declarations embed.FS

// declaration is what a tool says of itself besides its function: NAME.yaml beside NAME.go.
type declaration struct {
	Name    bilingual.Text          // what people call the result
	Text    string                  // what a model reads
	Figures []declaredColumn        // shown above the tables
	Tables  []declaredTable         // in the order in which they are shown
	Hidden  []string                // fields not shown, besides ids and truncated
	Fields  map[string]wordsOfField // by the end of a field's path

	Arguments map[string]string // of the shared file: what arguments are called in Russian

	Notes map[NoteCode]declaredNote
}

// fieldWords are the words of a field. What is left out comes from a shorter end of the path, or from shared.yaml.
type wordsOfField struct {
	bilingual.Text `yaml:",inline"`
	Words          map[string]bilingual.Text // what the values of a closed set are called
	Missing        *bilingual.Text           // what null is called; {}: unknown
	Also           []string                  // beginnings of words, in either language, by which people name it too
}

// declaredColumn is a field's path from the table's rows, with the words that it has only there.
type declaredColumn struct {
	path  string
	words struct {
		wordsOfField `yaml:",inline"`
		Quiet        bool
	}
}

// UnmarshalYAML reads a path, or a path and its words.
func (c *declaredColumn) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&c.path)
	}
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return fmt.Errorf("line %d: a column is a path, or one path and its words", node.Line)
	}
	c.path = node.Content[0].Value
	return node.Content[1].Decode(&c.words)
}

type declaredTable struct {
	Field   string
	Title   *bilingual.Text // the field's label where it is left out, and none for rows; {}: none
	Quiet   bool
	Columns []declaredColumn
	Lines   *declaredTable
}

var declared = sync.OnceValue(func() map[string]*declaration {
	files, err := declarations.ReadDir(".")
	if err != nil {
		panic(err)
	}
	all := make(map[string]*declaration, len(files))
	for _, file := range files {
		text, err := declarations.ReadFile(file.Name())
		if err != nil {
			panic(err)
		}
		read := &declaration{}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(read); err != nil {
			panic(fmt.Sprintf("%s: %v", file.Name(), err))
		}
		all[strings.TrimSuffix(file.Name(), ".yaml")] = read
	}
	return all
})

// shared is the file of the words that several tools use.
const shared = "shared"

// declarationOf is a tool's declaration, empty for a tool without one. Tools that prepare drafts have one result and one file.
func declarationOf(tool string) *declaration {
	if strings.HasPrefix(tool, "draft_") {
		tool = "draft"
	}
	if found, known := declared()[tool]; known && tool != shared {
		return found
	}
	return &declaration{}
}

// Description returns the text about a tool that models read.
func Description(tool string) string { return declarationOf(tool).Text }

// ArgumentInRussian returns the Russian name of an argument. Known is false if no tool has the argument.
func ArgumentInRussian(name string) (words string, known bool) {
	words, known = declared()[shared].Arguments[name]
	return words, known
}

// report defines a tool that reads and declares itself in a file.
func defineReport[A, R any](name string, run func(context.Context, *Call, A) (R, error)) Tool {
	return Define(name, Read, declarationOf(name).Text, run)
}

// ToolLabel returns the name of a tool's result for people. It falls back to the tool's own name.
func ToolLabel(tool string) bilingual.Text {
	if name := declarationOf(tool).Name; name != (bilingual.Text{}) {
		return name
	}
	return bilingual.Text{RU: tool, EN: tool}
}

// ValuesOf returns the labels of a field's values, if they are a closed set.
func ValuesOf(tool, path string) map[string]bilingual.Text {
	f := Field{Path: path}
	f.addWords(tool)
	return f.Words
}

// addWords gives a field its words: each from the longest end of its path that has it, in the tool's file before the shared one.
func (f *Field) addWords(tool string) {
	own, common := declarationOf(tool).Fields, declared()[shared].Fields
	for path, more := f.Path, true; more; _, path, more = strings.Cut(path, ".") {
		f.fillMissing(own[path])
		f.fillMissing(common[path])
	}
	if f.Label == (bilingual.Text{}) {
		f.Label = bilingual.Text{RU: f.Name, EN: f.Name}
	}
}

// fillFrom fills in what the field does not have yet.
func (f *Field) fillMissing(words wordsOfField) {
	if f.Label == (bilingual.Text{}) {
		f.Label = words.Text
	}
	if f.Words == nil {
		f.Words = words.Words
	}
	if f.Also == nil {
		f.Also = words.Also
	}
	if f.Missing == (bilingual.Text{}) && words.Missing != nil {
		f.Missing = *words.Missing
	}
}

// RowsCounted is the label of the number of rows in a group.
var RowsCounted = bilingual.Text{RU: "Строк", EN: "Rows"}
