package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
)

// file is a models file as it is written.
type file struct {
	Providers map[string]providerEntry `yaml:"providers"`
	Models    map[string]modelEntry    `yaml:"models"`
}

type providerEntry struct {
	Kind    string            `yaml:"kind"`
	BaseURL string            `yaml:"base_url"`
	Key     string            `yaml:"key"`
	Headers map[string]string `yaml:"headers"`
}

type modelEntry struct {
	Routes    []routeEntry  `yaml:"routes"`
	Fallbacks []string      `yaml:"fallbacks"`
	FirstByte time.Duration `yaml:"first_byte"`
	Silence   time.Duration `yaml:"silence"`
	Prices    *Prices       `yaml:"prices"`
	Can       canEntry      `yaml:"can"`
}

type routeEntry struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	Weight   *int   `yaml:"weight"`
}

// name is the route's as people read it.
func (r routeEntry) name() string { return r.Provider + "/" + r.Model }

type canEntry struct {
	Tools  *bool `yaml:"tools"`
	Vision *bool `yaml:"vision"`
	JSON   *bool `yaml:"json"`
}

// Prices are of a million tokens each, and of a request whose cost does not go by tokens.
type Prices struct {
	Input       decimal.Decimal  `yaml:"input"`
	CachedInput *decimal.Decimal `yaml:"cached_input"` // nil is as Input
	Output      decimal.Decimal  `yaml:"output"`
	Request     *decimal.Decimal `yaml:"request"` // for a picture, a sound; nil is unknown
	Currency    string           `yaml:"currency"`
}

// UnmarshalYAML reads prices as they are written: a float64 would change them.
func (p *Prices) UnmarshalYAML(node *yaml.Node) error {
	var written struct {
		Input       yaml.Node `yaml:"input"`
		CachedInput yaml.Node `yaml:"cached_input"`
		Output      yaml.Node `yaml:"output"`
		Request     yaml.Node `yaml:"request"`
		Currency    string    `yaml:"currency"`
	}
	known := []string{"input", "cached_input", "output", "request", "currency"}
	for i := 0; i < len(node.Content); i += 2 {
		if name := node.Content[i].Value; !slices.Contains(known, name) {
			return fmt.Errorf("line %d: field %s not found", node.Content[i].Line, name)
		}
	}
	if err := node.Decode(&written); err != nil {
		return err
	}
	var wrong error
	read := func(name string, n yaml.Node) decimal.Decimal {
		price, err := decimal.NewFromString(n.Value)
		if err != nil || !isPrice(price) {
			wrong = errors.Join(wrong, fmt.Errorf("line %d: %s is to be a price from 0 to %d, got %.40q", node.Line, name, mostPrice, n.Value))
		}
		return price
	}
	optional := func(name string, n yaml.Node) *decimal.Decimal {
		if n.IsZero() {
			return nil
		}
		price := read(name, n)
		return &price
	}
	p.Input, p.Output, p.Currency = read("input", written.Input), read("output", written.Output), written.Currency
	p.CachedInput, p.Request = optional("cached_input", written.CachedInput), optional("request", written.Request)
	if !currency.MatchString(p.Currency) {
		wrong = errors.Join(wrong, fmt.Errorf("line %d: currency is to be a code such as USD, got %q", node.Line, p.Currency))
	}
	return wrong
}

// mostPrice bounds a price: sums of money are exact up to nine thousand times a thousand million.
const mostPrice = 1_000_000

// isPrice tells a price whose size is bounded. Numbers whose exponents are far off are slow to compare, so these come first.
func isPrice(d decimal.Decimal) bool {
	const digits = 20
	return !d.IsNegative() && d.Exponent() >= -digits && d.Exponent() <= digits && d.LessThanOrEqual(decimal.NewFromInt(mostPrice))
}

var (
	fieldName    = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	oneLine      = regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,1000}$`)
	currency     = regexp.MustCompile(`^[A-Z]{3}$`)
	providerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	modelName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$`)
	reference    = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
	goType       = regexp.MustCompile(` in type \S+`)
)

// mostBytes bounds a models file.
const mostBytes = 1 << 20

// read reads a models file strictly: what is not understood is an error.
func read(text []byte) (file, error) {
	var f file
	if len(text) > mostBytes {
		return f, fmt.Errorf("the file has more than %d bytes", mostBytes)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(&f)
	if errors.Is(err, io.EOF) {
		return f, errors.New("the file is empty")
	}
	if err == nil && !errors.Is(decoder.Decode(new(yaml.Node)), io.EOF) {
		return f, errors.New("the file has several documents")
	}
	if err != nil {
		return f, errors.New(goType.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), ""))
	}
	return f, f.check()
}

// ofMessage are header fields that say where a message ends or what it is.
var ofMessage = []string{"Connection", "Content-Length", "Content-Type", "Expect", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// problems are what is wrong with a file, each with where it stands.
type problems []error

// mostProblems is how many are told at once.
const mostProblems = 50

func (p *problems) add(where, format string, values ...any) {
	if len(*p) < mostProblems {
		*p = append(*p, fmt.Errorf("%.200s "+format, append([]any{where}, values...)...))
	}
}

// check finds all that is wrong with a file.
func (f file) check() error {
	var wrong problems
	if len(f.Models) == 0 {
		wrong.add("models", "names no model")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Providers)) {
		f.Providers[name].check("providers."+name, name, &wrong)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		if len(wrong) == mostProblems {
			break
		}
		f.checkModel(name, &wrong)
	}
	return errors.Join(wrong...)
}

func (p providerEntry) check(where, name string, wrong *problems) {
	if !providerName.MatchString(name) {
		wrong.add(where, "is no name: letters, digits, dots, dashes and underscores")
	}
	if !slices.Contains(provider.Kinds(), p.Kind) {
		wrong.add(where+".kind", "is %q; allowed: %s", p.Kind, strings.Join(provider.Kinds(), ", "))
	}
	if p.Key != "" && reference.FindString(p.Key) != p.Key {
		wrong.add(where+".key", "is to be a reference such as ${OPENAI_API_KEY}: a file is no place for a secret")
	}
	p.checkHeaders(where+".headers", wrong)
	if p.Key == "" && p.BaseURL == "" && len(p.Headers) == 0 && p.Kind != provider.Ollama {
		wrong.add(where+".key", "is not set")
	}
	if at, err := url.Parse(reference.ReplaceAllString(p.BaseURL, "x")); p.BaseURL != "" && (err != nil || at.User != nil) {
		wrong.add(where+".base_url", "is to be an address without a password")
	}
}

// checkHeaders keeps fields from being more than what they are: one line each, and no part of how a message is read.
func (p providerEntry) checkHeaders(where string, wrong *problems) {
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		if !fieldName.MatchString(name) || slices.Contains(ofMessage, http.CanonicalHeaderKey(name)) {
			wrong.add(where, "has %.100q, which is no name of a field, or says how a message is read", name)
		}
		if !oneLine.MatchString(p.Headers[name]) {
			wrong.add(where+"."+name, "is to be one line of 1 to 1000 characters")
		}
	}
}

func (f file) checkModel(name string, wrong *problems) {
	m, where := f.Models[name], "models."+name
	if !modelName.MatchString(name) {
		wrong.add(where, "is no name: letters, digits and . _ : @ / -")
	}
	if root, _, _ := strings.Cut(name, "/"); slices.Contains(reserved, root) {
		wrong.add(where, "is a name of the service's own")
	}
	if len(m.Routes) == 0 {
		wrong.add(where+".routes", "names no route")
	}
	count := len(m.Routes)
	for _, fallback := range m.Fallbacks {
		count += len(f.Models[fallback].Routes)
	}
	if count > routing.MostRoutes || len(m.Fallbacks) > routing.MostRoutes {
		wrong.add(where, "has %d routes with those of its fallbacks; allowed: %d", max(count, len(m.Fallbacks)), routing.MostRoutes)
		return
	}
	for i, r := range m.Routes {
		at := fmt.Sprintf("%s.routes[%d]", where, i)
		if _, there := f.Providers[r.Provider]; !there {
			wrong.add(at+".provider", "is %q; there are: %s", r.Provider, named(f.Providers, ""))
		}
		if r.Model == "" {
			wrong.add(at+".model", "is not set")
		} else if !oneLine.MatchString(r.Model) {
			wrong.add(at+".model", "is to be one line of 1 to 1000 characters")
		}
		if r.Weight != nil && (*r.Weight < 1 || *r.Weight > 1000) {
			wrong.add(at+".weight", "is %d; allowed: 1 to 1000", *r.Weight)
		}
		same := func(o routeEntry) bool { return o.Provider == r.Provider && o.Model == r.Model }
		if slices.IndexFunc(m.Routes, same) < i {
			wrong.add(at, "is there twice: give one of them the weight of both")
		}
	}
	for i, fallback := range m.Fallbacks {
		if _, there := f.Models[fallback]; !there || fallback == name {
			wrong.add(fmt.Sprintf("%s.fallbacks[%d]", where, i), "is %q; there are: %s", fallback, named(f.Models, name))
		}
	}
	if m.FirstByte < 0 || m.Silence < 0 {
		wrong.add(where, "has a negative time limit")
	}
}

// reserved are names that stand for the agent, alone or before a slash, and for the model without a model.
var reserved = []string{"kopeck", "kopeck-agent", provider.Offline}

// named lists the names that there are, but one of them, and not more than people read.
func named[T any](all map[string]T, but string) string {
	const most = 20
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(other string) bool { return other == but })
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// resolved puts the environment's values in the place of the references to them.
func resolved(text string, env func(string) string) (string, error) {
	var missing error
	text = reference.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value := env(name)
		if value == "" {
			missing = fmt.Errorf("%s is not set in the environment", name)
		}
		return value
	})
	return text, missing
}
