package models

import (
	"bytes"
	"cmp"
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
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
)

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
	Routes    []routeEntry   `yaml:"routes"`
	Fallbacks []string       `yaml:"fallbacks"`
	FirstByte time.Duration  `yaml:"first_byte"`
	Silence   time.Duration  `yaml:"silence"`
	Prices    *Prices        `yaml:"prices"`
	Abilities abilitiesEntry `yaml:"can"`
}

type routeEntry struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	Weight   *int   `yaml:"weight"`
}

// name returns the route's name in logs and responses.
func (r routeEntry) name() string { return r.Provider + "/" + r.Model }

type abilitiesEntry struct {
	Tools  *bool `yaml:"tools"`
	Vision *bool `yaml:"vision"`
	JSON   *bool `yaml:"json"`
}

// Prices are per million tokens, or per request for requests that are not charged by tokens.
type Prices struct {
	Input       decimal.Decimal  `yaml:"input"`
	CachedInput *decimal.Decimal `yaml:"cached_input"` // nil means the same as Input
	Output      decimal.Decimal  `yaml:"output"`
	Request     *decimal.Decimal `yaml:"request"` // for an image or audio request; nil if unknown
	Currency    string           `yaml:"currency"`
}

// UnmarshalYAML parses prices as decimals, because float64 would round them.
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
			return fmt.Errorf("line %d: field %s not found", node.Content[i].Line, name) // as yaml says it of other objects
		}
	}
	if err := node.Decode(&written); err != nil {
		return err
	}
	var wrong error
	read := func(name string, n yaml.Node) decimal.Decimal {
		price, err := decimal.NewFromString(n.Value)
		switch {
		case n.IsZero():
			wrong = errors.Join(wrong, fmt.Errorf("line %d: %s is missing; it must be a price from 0 to %d", node.Line, name, maxPrice))
		case err != nil || !isPrice(price):
			wrong = errors.Join(wrong, fmt.Errorf("line %d: %s must be a price from 0 to %d, got %.40q", node.Line, name, maxPrice, n.Value))
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
		wrong = errors.Join(wrong, fmt.Errorf("line %d: currency must be a code such as USD, got %q", node.Line, p.Currency))
	}
	return wrong
}

// maxPrice is so low that sums of money fit into an int64, whose maximum is 9.2·10¹⁸.
const maxPrice = 1_000_000

// isPrice reports whether d is in the allowed range. It checks the exponent first, because comparing decimals with extreme
// exponents is slow.
func isPrice(d decimal.Decimal) bool {
	const digits = 20
	return !d.IsNegative() && d.Exponent() >= -digits && d.Exponent() <= digits && d.LessThanOrEqual(decimal.NewFromInt(maxPrice))
}

var (
	fieldName    = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	currency     = regexp.MustCompile(`^[A-Z]{3}$`)
	providerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	modelName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$`)
	envReference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
	unknownField = regexp.MustCompile(`field (\S+) not found( in type \S+)?`)
	wrongValue   = regexp.MustCompile("^(line [0-9]+: )cannot unmarshal !!\\S+ (`.*` )?into (\\S+)$")
)

// isOneLine reports whether a text is at most 1,000 characters without control characters. A regular expression for this
// takes 4 ms to compile.
func isOneLine(text string) bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	return text != "" && utf8.RuneCountInString(text) <= 1000 && !strings.ContainsFunc(text, control)
}

// maxFileBytes limits a models file.
const maxFileBytes = 1 << 20

// parseFile parses a models file strictly: unknown fields are errors.
func parseFile(text []byte) (file, error) {
	var f file
	if len(text) > maxFileBytes {
		return f, fmt.Errorf("the file has more than %d bytes", maxFileBytes)
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
		return f, plainYAMLError(err)
	}
	return f, f.check()
}

// kinds are the words for the Go types of values.
var kinds = map[string]string{
	"time.Duration": "a duration with its unit, such as 30s",
	"string":        "a text",
	"int":           "a whole number",
	"bool":          "true or false",
}

// plainYAMLError returns an error of the YAML decoder without Go types.
func plainYAMLError(err error) error {
	var fields *yaml.TypeError
	if !errors.As(err, &fields) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var all []error
	for _, text := range fields.Errors {
		text = unknownField.ReplaceAllString(text, "there is no field $1")
		if m := wrongValue.FindStringSubmatch(text); m != nil {
			wanted := kinds[m[3]]
			if wanted == "" {
				wanted = map[bool]string{true: "a list", false: "an object with fields"}[strings.HasPrefix(m[3], "[]")]
			}
			text = m[1] + m[2] + "must be " + wanted
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

// framingHeaders determine where a message ends or how it is read.
var framingHeaders = []string{"Connection", "Content-Length", "Content-Type", "Expect", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// problems collects problems and where in the file they are.
type problems []error

// maxProblems is the largest number of reported problems.
const maxProblems = 50

func (p *problems) add(where, format string, values ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, fmt.Errorf("%.200s "+format, append([]any{where}, values...)...))
	}
}

// check finds all problems of the file.
func (f file) check() error {
	var wrong problems
	if len(f.Models) == 0 {
		wrong.add("models", "has no models")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Providers)) {
		f.Providers[name].check("providers."+name, name, &wrong)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		if len(wrong) == maxProblems {
			break
		}
		f.checkModel(name, &wrong)
	}
	return errors.Join(wrong...)
}

func (p providerEntry) check(where, name string, wrong *problems) {
	if !providerName.MatchString(name) {
		wrong.add(where, "is not a valid name: use letters, digits, dots, dashes and underscores")
	}
	if !slices.Contains(provider.Kinds(), p.Kind) {
		wrong.add(where+".kind", "is %q; allowed: %s", p.Kind, strings.Join(provider.Kinds(), ", "))
	}
	if p.Key != "" && envReference.FindString(p.Key) != p.Key {
		wrong.add(where+".key", "must be a reference such as ${OPENAI_API_KEY}: keep secrets out of the file")
	}
	p.checkHeaders(where+".headers", wrong)
	if p.Key == "" && p.BaseURL == "" && len(p.Headers) == 0 && p.Kind != provider.Ollama {
		wrong.add(where+".key", "is not set")
	}
	if at, err := url.Parse(envReference.ReplaceAllString(p.BaseURL, "x")); p.BaseURL != "" && (err != nil || at.User != nil) {
		wrong.add(where+".base_url", "must be a URL without a password")
	}
}

// checkHeaders rejects headers that could change where a message ends or how it is read.
func (p providerEntry) checkHeaders(where string, wrong *problems) {
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		if !fieldName.MatchString(name) || slices.Contains(framingHeaders, http.CanonicalHeaderKey(name)) {
			wrong.add(where, "has %.100q, which is not a valid header name or controls how the message is read", name)
		}
		if !isOneLine(p.Headers[name]) {
			wrong.add(where+"."+name, "must be one line of 1 to 1000 characters")
		}
	}
}

func (f file) checkModel(name string, wrong *problems) {
	m, where := f.Models[name], "models."+name
	if !modelName.MatchString(name) {
		wrong.add(where, "is not a valid name: use letters, digits and . _ : @ / -")
	}
	if root, _, _ := strings.Cut(name, "/"); slices.Contains(reserved, root) {
		wrong.add(where, "is reserved")
	}
	if len(m.Routes) == 0 {
		wrong.add(where+".routes", "has no routes")
	}
	count := len(m.Routes)
	for _, fallback := range m.Fallbacks {
		count += len(f.Models[fallback].Routes)
	}
	if count > routing.MaxRoutes || len(m.Fallbacks) > routing.MaxRoutes {
		wrong.add(where, "has %d routes with those of its fallbacks; allowed: %d", max(count, len(m.Fallbacks)), routing.MaxRoutes)
		return
	}
	for i, r := range m.Routes {
		at := fmt.Sprintf("%s.routes[%d]", where, i)
		if _, there := f.Providers[r.Provider]; !there {
			wrong.add(at+".provider", "is %q, which is not under providers; there: %s", r.Provider, listNames(f.Providers, ""))
		}
		if r.Model == "" {
			wrong.add(at+".model", "is not set")
		} else if !isOneLine(r.Model) {
			wrong.add(at+".model", "must be one line of 1 to 1000 characters")
		}
		if r.Weight != nil && (*r.Weight < 1 || *r.Weight > 1000) {
			wrong.add(at+".weight", "is %d; allowed: 1 to 1000", *r.Weight)
		}
		same := func(o routeEntry) bool { return o.Provider == r.Provider && o.Model == r.Model }
		if slices.IndexFunc(m.Routes, same) < i {
			wrong.add(at, "is listed twice: give one of them the weight of both")
		}
	}
	for i, fallback := range m.Fallbacks {
		if _, there := f.Models[fallback]; !there || fallback == name {
			at := fmt.Sprintf("%s.fallbacks[%d]", where, i)
			wrong.add(at, "is %q, which is not another model of the file; there: %s", fallback, listNames(f.Models, name))
		}
	}
	if m.FirstByte < 0 || m.Silence < 0 {
		wrong.add(where, "has a negative time limit")
	}
}

// reserved are the names that only the agent and the offline model may have, by themselves or before a slash.
var reserved = []string{"kopeck", "kopeck-agent", provider.Offline}

// listNames lists all names but one, cut if there are too many.
func listNames[T any](all map[string]T, but string) string {
	const most = 20
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(other string) bool { return other == but })
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// expandEnv replaces references to environment variables by their values.
func expandEnv(text string, env func(string) string) (string, error) {
	var missing error
	text = envReference.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value := env(name)
		if value == "" {
			missing = fmt.Errorf("%s is not set in the environment", name)
		}
		return value
	})
	return text, missing
}
