package tools

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

//go:embed *.yaml
var declarations embed.FS

// declaration is a tool's YAML file, NAME.yaml beside NAME.go.
type declaration struct {
	Name    bilingual.Text         // the name of the result, shown to people
	Text    string                 // the description of the tool, for models
	Titled  int                    // how many of the figures the title shows
	Figures []declaredColumn       // fields shown above the tables
	Tables  []declaredTable        // in display order
	Hidden  []string               // fields not shown, besides ids and truncated
	Fields  map[string]fieldLabels // by field path, or by the end of one

	Arguments map[string]bilingual.Text // only in the shared file: names of arguments for people
	Genders   map[Gender]string         // only in the shared file: the first words of Russian labels, by their gender
	Phrases   string                    // only in the shared file: the first words of labels that are not nouns

	Notes map[NoteCode]declaredNote
}

// fieldLabels has the labels of a field. If one is missing, the field rows.supplier.name takes that of supplier.name, then
// that of name, and then those of shared.yaml.
type fieldLabels struct {
	bilingual.Text `yaml:",inline"`
	Words          map[string]bilingual.Text // labels of the values, if the field has a fixed set of them
	Missing        *bilingual.Text           // label of null; {} means "unknown"
	Unset          bilingual.Text            // states that the value is null, as in "supplier is not given"
	By             map[string]bilingual.Text // labels that depend on what the result measures, such as revenue or profit
	About          bilingual.Text            // what the reader must know about the figure, such as "revenue is net of returns"

	Items   Items            // for a list: what its rows are
	ItemsBy map[string]Items `yaml:"items_by"` // for a list: what its rows are, depending on what the result measures
	Order   bilingual.Text   // for a list: its sort order, as in "first by largest revenue"
}

// Items says what the rows of a list are, in the plural. In Russian it has each grammatical case that sentences need.
type Items struct {
	bilingual.Text `yaml:",inline"`
	Genitive       string `yaml:"of"`
	Dative         string `yaml:"by"`
}

// declaredColumn is a column of a table: the path of a field, relative to the rows of the table, and labels that apply
// in this table only.
type declaredColumn struct {
	path   string
	labels struct {
		fieldLabels `yaml:",inline"`

		Quiet, Differs bool   // as in Column
		Except         string // as in Column

		// For a result whose Go type is in a package that imports this one, what other layouts take from the type.
		Kind     FieldKind // text if missing
		Currency string
		Parts    []string // the fields of an object
	}
}

// UnmarshalYAML reads either a path, or a mapping from one path to its labels.
func (c *declaredColumn) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&c.path)
	}
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return fmt.Errorf("line %d: a column must be a path, or one path with its labels", node.Line)
	}
	c.path = node.Content[0].Value
	return node.Content[1].Decode(&c.labels)
}

type declaredTable struct {
	Field   string
	Title   *bilingual.Text // {} means no title; if missing, the title is the field's label, except that the field rows has none
	Quiet   bool
	Whole   bool // show all rows
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

// shared is the name of the file with the labels that several tools use.
const shared = "shared"

// declarationOf returns a tool's declaration. It is empty if the tool has no file.
func declarationOf(tool string) *declaration {
	if found, known := declared()[fileOf(tool)]; known && tool != shared {
		return found
	}
	return &declaration{}
}

// fileOf returns the name of a tool's YAML file. All draft tools share one.
func fileOf(tool string) string {
	if strings.HasPrefix(tool, "draft_") {
		return "draft"
	}
	return tool
}

// Description returns the description of a tool, for models.
func Description(tool string) string { return declarationOf(tool).Text }

// ArgumentName returns the name of an argument for people; known is false if no tool has such an argument.
func ArgumentName(name string) (words bilingual.Text, known bool) {
	words, known = declared()[shared].Arguments[name]
	words.EN = cmp.Or(words.EN, strings.ReplaceAll(name, "_", " "))
	return words, known
}

// ArgumentNames returns the names of all arguments for people.
func ArgumentNames() map[string]bilingual.Text {
	names := map[string]bilingual.Text{}
	for name := range declared()[shared].Arguments {
		names[name], _ = ArgumentName(name)
	}
	return names
}

// defineReport defines a tool that reads. Its description is in its YAML file.
func defineReport[A, R any](name string, run func(context.Context, *Run, A) (R, error)) Tool {
	return Define(name, Read, declarationOf(name).Text, run)
}

// ToolLabel returns the name of a tool's result, as shown to people. If it has none, ToolLabel returns the name of the
// tool.
func ToolLabel(tool string) bilingual.Text {
	return cmp.Or(declarationOf(tool).Name, bilingual.Text{RU: tool, EN: tool})
}

// addLabels sets the labels of the field. If several ends of its path have labels, the longest wins; the tool's file
// takes precedence over the shared one. A field without a label is labelled with its name.
func (f *Field) addLabels(tool string) {
	own, common := declarationOf(tool).Fields, declared()[shared].Fields
	for path, more := f.Path, true; more; _, path, more = strings.Cut(path, ".") {
		f.fillMissing(own[path])
		f.fillMissing(common[path])
	}
	f.Label = cmp.Or(f.Label, bilingual.Text{RU: f.Name, EN: f.Name})
}

// fillMissing copies the labels that the field does not have yet.
func (f *Field) fillMissing(labels fieldLabels) {
	f.Label, f.About, f.Unset = cmp.Or(f.Label, labels.Text), cmp.Or(f.About, labels.About), cmp.Or(f.Unset, labels.Unset)
	if f.Words == nil {
		f.Words = labels.Words
	}
	if f.Missing == (bilingual.Text{}) && labels.Missing != nil {
		f.Missing = *labels.Missing
	}
	if f.List {
		f.Items, f.Order = cmp.Or(f.Items, labels.Items), cmp.Or(f.Order, labels.Order)
	}
}

// Gender is the grammatical gender of a Russian label. Words about the label must agree with it.
type Gender string

// The genders of labels. Plural labels have no gender of their own.
const (
	Masculine Gender = "m"
	Feminine  Gender = "f"
	Neuter    Gender = "n"
	Plural    Gender = "p"
)

var genders = sync.OnceValue(func() map[string]Gender {
	all := map[string]Gender{}
	for gender, words := range declared()[shared].Genders {
		for word := range strings.FieldsSeq(words) {
			all[word] = gender
		}
	}
	return all
})

// GenderOf returns the gender of a Russian label, which depends on its first word. It returns "" if that word is not a
// noun in the nominative case.
func GenderOf(label string) Gender { return genders()[firstWord(label)] }

// IsPhrase reports whether a label does not begin with a noun, such as "In stock".
func IsPhrase(label string) bool {
	return slices.Contains(strings.Fields(declared()[shared].Phrases), firstWord(label))
}

func firstWord(label string) string {
	first, _, _ := strings.Cut(strings.ToLower(label), " ")
	return strings.TrimRight(first, ",:")
}

// RowCountLabel is the label of the number of rows in a group.
var RowCountLabel = bilingual.Text{RU: "Строк", EN: "Rows"}
