package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// staleAfter is the age from which a result says how old its figures are.
const staleAfter = time.Minute

// Call is one run of a tool: the account, and what the run has to say beside its figures. Its methods are safe for
// concurrent use; those that read the books stand with what they read.
type Call struct {
	*Account

	mu    sync.Mutex
	asOf  time.Time
	notes []Note
}

// Note says something with the figures; its wordings, in a file beside the tools, have the values that the code takes. Equal notes
// count once.
func (c *Call) Note(code NoteCode, values map[string]string) {
	n := Note{Code: code, Values: values}
	n.Text = NoteText(n, "en")
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.notes, func(o Note) bool { return o.Code == code && o.Text == n.Text }) {
		c.notes = append(c.notes, n)
	}
}

// ReadAt tells that figures rest on a reading of that moment; the oldest becomes the result's as_of.
func (c *Call) ReadAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asOf.IsZero() || t.Before(c.asOf) {
		c.asOf = t
	}
}

// Define makes a tool of a function over typed arguments and a typed result. The schemas come from the types: describe
// fields with jsonschema_description, limit and default them with jsonschema tags (minimum, maximum, default, enum), and
// give optional arguments omitempty. A pointer in a result without omitempty is nullable. Wrong types are a defect and
// panic when the package is first used.
func Define[A, R any](name string, kind Kind, description string, run func(context.Context, *Call, A) (R, error)) Tool {
	parameters := reflectSchema[A]()
	check := sync.OnceValue(func() *argumentCheck { return newArgumentCheck(name, parameters) })
	return Tool{
		decode: func(raw json.RawMessage) (any, error) {
			var result R
			err := json.Unmarshal(raw, &result)
			return result, err
		},
		fields: func() *Field {
			var result R
			return FieldsOf(name, result)
		},
		Name:        name,
		Kind:        kind,
		Description: strings.TrimSpace(description),
		Parameters:  marshalSchema(parameters),
		Result:      marshalSchema(nullablePointers(reflectSchema[R](), reflect.TypeFor[R]())),
		run: func(ctx context.Context, a *Account, raw json.RawMessage) (*Result, error) {
			var args A
			if err := check().decode(raw, &args); err != nil {
				return nil, err
			}
			if limited, ok := any(&args).(interface{ atLeast(int) }); ok {
				limited.atLeast(a.WholeRows)
			}
			question := ""
			if _, anew := any(args).(Anew); kind == Read && !anew {
				question = name + " " + string(marshalArguments(args))
			}
			return execute(ctx, name, question, a, func(ctx context.Context, c *Call) (any, error) { return run(ctx, c, args) })
		},
	}
}

// Anew is implemented by arguments of a tool whose answer depends on more than them and the account: it is never shared.
type Anew interface{ Anew() }

// Decode reads a result of this tool that was written as JSON: the result's own part, in the tool's Go type.
func (t Tool) Decode(result json.RawMessage) (any, error) { return t.decode(result) }

// Execute checks the arguments against the schema, reporting all problems at once in an [*ArgumentError], runs the tool
// on the account and wraps its result.
func (t Tool) Execute(ctx context.Context, a *Account, args json.RawMessage) (*Result, error) {
	return t.run(ctx, a, args)
}

// execute runs a tool; what answers a question is kept while it is fresh, and questions that are equal wait for one
// answer. An empty question is answered anew each time.
func execute(ctx context.Context, tool, question string, a *Account, run func(context.Context, *Call) (any, error)) (*Result, error) {
	started := a.Now()
	account := *a
	account.Client = a.Client.Counted()
	c := &Call{Account: &account}
	value, err := c.answer(ctx, question, run)
	if err != nil {
		return nil, err
	}
	currency, err := c.currencyOfResult(ctx)
	if err != nil {
		return nil, err
	}
	if !c.asOf.IsZero() && len(a.InPart) > 0 {
		c.Note(SeenInPart, map[string]string{"kinds": strings.Join(a.InPart, ", ")})
	}
	finished := a.Now()
	if c.asOf.IsZero() {
		c.asOf = finished
	}
	if age := finished.Sub(c.asOf); age > staleAfter {
		c.Note(Stale, map[string]string{
			"as_of":   c.asOf.In(moysklad.Moscow).Format(asOfForm),
			"minutes": fmt.Sprint(int(age / time.Minute)),
		})
	}
	return &Result{
		Tool:          tool,
		ConnectionID:  a.ConnectionID,
		AccountID:     a.ID,
		Currency:      currency,
		AsOf:          c.asOf.UTC(),
		Result:        value,
		Notes:         append([]Note{}, c.notes...),
		UpstreamCalls: account.Client.Calls(),
		DurationMS:    finished.Sub(started).Milliseconds(),
	}, nil
}

// answer runs the tool, or takes its answer to the same question of before, with the same notes.
func (c *Call) answer(ctx context.Context, question string, run func(context.Context, *Call) (any, error)) (any, error) {
	if question == "" {
		return run(ctx, c)
	}
	found, _, err := glance(ctx, c, "answer to "+question, FreshFigures, func(ctx context.Context, _ *moysklad.Client) (*answered, error) {
		own := &Call{Account: c.Account}
		value, err := run(ctx, own)
		return &answered{value, own.asOf, own.notes, max(1000, c.WholeRows)}, err
	})
	if err != nil {
		return nil, err
	}
	c.asOf, c.notes = found.asOf, slices.Clone(found.notes)
	return found.value, nil
}

// answered is what a tool answered. Nobody changes the value.
type answered struct {
	value any
	asOf  time.Time
	notes []Note
	most  int // rows
}

// rowBytes is more than a row of an answer takes.
const rowBytes = 1 << 10

func (a *answered) bytes() int { return a.most * rowBytes }

// currencyOfResult is the account's currency; empty for a tool that read nothing of the account, such as a calculation,
// which must not wait for an upstream that is away.
func (c *Call) currencyOfResult(ctx context.Context) (string, error) {
	if c.asOf.IsZero() && c.Client.Calls() == 0 && !c.Books.has("currencies", FreshCardFile) {
		return "", nil
	}
	currency, err := c.Currency(ctx)
	return currency.ISOCode, err
}

func marshalArguments(args any) []byte {
	text, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("arguments: %v", err))
	}
	return text
}

func reflectSchema[T any]() *jsonschema.Schema {
	reflector := jsonschema.Reflector{DoNotReference: true, Anonymous: true, ExpandedStruct: true}
	schema := reflector.ReflectFromType(reflect.TypeFor[T]())
	schema.Version = ""
	return schema
}

// nullablePointers allows null where the Go type has a pointer that is always written: unknown is null, and the schema
// must say so. The reflector only does this field by field, by a tag that would be forgotten.
func nullablePointers(schema *jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && schema.Items != nil:
		nullablePointers(schema.Items, t.Elem())
	case t.Kind() == reflect.Struct && schema.Properties != nil:
		for _, field := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property, ok := schema.Properties.Get(name)
			if !ok {
				continue
			}
			nullablePointers(property, field.Type)
			if field.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit") {
				described := property.Description
				property.Description = ""
				schema.Properties.Set(name, &jsonschema.Schema{
					Description: described,
					OneOf:       []*jsonschema.Schema{property, {Type: "null"}},
				})
			}
		}
	}
	return schema
}

func marshalSchema(schema *jsonschema.Schema) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("schema: %v", err))
	}
	return bytes.TrimSpace(text)
}
