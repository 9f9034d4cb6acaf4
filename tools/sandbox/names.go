package sandbox

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed names.yaml
var namesFile []byte

// names is the content of names.yaml.
var names = sync.OnceValue(func() (all struct {
	Warehouses, Suppliers, Customers, Brands, Colors []string
	Categories                                       []category
},
) {
	decoder := yaml.NewDecoder(bytes.NewReader(namesFile))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		panic(fmt.Sprintf("tools/sandbox/names.yaml: %v", err))
	}
	return all
})

// category is a group of goods.
type category struct {
	Folder, Subfolder string
	Nouns, Details    []string
	Cost              struct{ From, To int } // in rubles
	Sizes             []string               // sizes of variants; empty if there are no variants
	Weighed           bool
}
