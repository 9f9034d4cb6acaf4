package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// staleAfter is the age of data above which a result has the [Stale] note.
const staleAfter = time.Minute

// Run is one execution of a tool. It collects the notes and the as_of time of the result. Its methods are safe for
// concurrent use.
type Run struct {
	*Account

	mu    sync.Mutex
	asOf  time.Time
	notes []Note
}

// Note adds a note to the result, unless the result already has the same note. values must have the values that the
// texts of the code use; the texts are in a YAML file.
func (run *Run) Note(code NoteCode, values map[string]string) {
	n := Note{Code: code, Values: values}
	n.Text = NoteText(n, "en")
	run.mu.Lock()
	defer run.mu.Unlock()
	if !slices.ContainsFunc(run.notes, func(o Note) bool { return o.Code == code && o.Text == n.Text }) {
		run.notes = append(run.notes, n)
	}
}

// Notes returns the notes so far.
func (run *Run) Notes() []Note {
	run.mu.Lock()
	defer run.mu.Unlock()
	return slices.Clone(run.notes)
}

// readAt records the time when data for the figures was read. The earliest of these times becomes the as_of of the
// result.
func (run *Run) readAt(t time.Time) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.asOf.IsZero() || t.Before(run.asOf) {
		run.asOf = t
	}
}

// Define makes a tool from a function with typed arguments and a typed result. The schemas come from the types:
// jsonschema_description describes a field, jsonschema tags set bounds and defaults (minimum, maximum, default, enum),
// and omitempty marks an optional argument. A pointer in a result is nullable unless it has omitempty. Define panics if
// a type has no schema.
func Define[A, R any](name string, kind Kind, description string, run func(context.Context, *Run, A) (R, error)) Tool {
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
		Parameters:  encoded.JSON(parameters),
		Result:      encoded.JSON(nullablePointers(reflectSchema[R](), reflect.TypeFor[R]())),
		run: func(ctx context.Context, a *Account, raw json.RawMessage) (*Result, error) {
			var args A
			if err := check().decode(raw, &args); err != nil {
				return nil, err
			}
			if limited, ok := any(&args).(interface{ atLeast(int) }); ok {
				limited.atLeast(a.MinRows)
			}
			question := ""
			if _, anew := any(args).(Uncached); kind == Read && !anew {
				question = name + " " + string(encoded.JSON(args))
			}
			return execute(ctx, name, question, a, func(ctx context.Context, own *Run) (any, error) { return run(ctx, own, args) })
		},
	}
}

// Uncached is implemented by the arguments of a tool whose result depends on more than the arguments and the account.
// Such results are not shared between questions.
type Uncached interface{ Uncached() }

// Decode decodes the JSON of Result.Result into the tool's Go type.
func (t Tool) Decode(result json.RawMessage) (any, error) { return t.decode(result) }

// Execute validates the arguments and runs the tool on the account. If arguments are wrong, the error is a
// [*check.InvalidError] that lists all problems.
func (t Tool) Execute(ctx context.Context, a *Account, args json.RawMessage) (*Result, error) {
	return t.run(ctx, a, args)
}

// execute runs a tool. Calls with the same question share one run as long as its result is fresh. If question is empty,
// the run is not shared.
func execute(ctx context.Context, tool, question string, a *Account, compute func(context.Context, *Run) (any, error)) (*Result, error) {
	started := a.Now()
	account := *a
	account.Client = a.Client.WithOwnCallCount()
	run := &Run{Account: &account}
	value, err := run.answer(ctx, question, compute)
	if err != nil {
		return nil, err
	}
	currency, err := run.currencyOfResult(ctx)
	if err != nil {
		return nil, err
	}
	if !run.asOf.IsZero() && len(a.PartlyVisible) > 0 {
		run.Note(SeenInPart, map[string]string{"kinds": strings.Join(a.PartlyVisible, ", ")})
	}
	finished := a.Now()
	if run.asOf.IsZero() {
		run.asOf = finished
	}
	if age := finished.Sub(run.asOf); age > staleAfter {
		run.Note(Stale, map[string]string{
			"as_of":   run.asOf.In(moysklad.Moscow).Format(asOfLayout),
			"minutes": fmt.Sprint(int(age / time.Minute)),
		})
	}
	return &Result{
		Tool:          tool,
		ConnectionID:  a.ConnectionID,
		AccountID:     a.ID,
		Currency:      currency,
		AsOf:          run.asOf.UTC(),
		Result:        value,
		Notes:         append([]Note{}, run.notes...),
		UpstreamCalls: account.Client.Calls(),
		DurationMS:    finished.Sub(started).Milliseconds(),
	}, nil
}

// answer runs the tool. If a fresh run for the same question is cached, it uses the value, notes and as_of of that run
// instead.
func (run *Run) answer(ctx context.Context, question string, compute func(context.Context, *Run) (any, error)) (any, error) {
	if question == "" {
		return compute(ctx, run)
	}
	read := func(ctx context.Context, _ *moysklad.Client) (*cachedAnswer, error) {
		own := &Run{Account: run.Account}
		value, err := compute(ctx, own)
		return &cachedAnswer{value, own.asOf, own.notes, max(1000, run.MinRows)}, err
	}
	found, err := readCachedUndated(ctx, run, "answer to "+question, maxFigureAge, read)
	if err != nil {
		return nil, err
	}
	run.asOf, run.notes = found.asOf, slices.Clone(found.notes)
	return found.value, nil
}

// cachedAnswer is the outcome of a run. Several callers share the value, so they must not change it.
type cachedAnswer struct {
	value   any
	asOf    time.Time
	notes   []Note
	maxRows int
}

// rowBytes is an upper bound for the size of one row of a result.
const rowBytes = 1 << 10

func (a *cachedAnswer) bytes() int { return a.maxRows * rowBytes }

// currencyOfResult returns the account's currency, or "" if the tool has not read the account. The calculator, for
// example, must work even if the upstream is unavailable.
func (run *Run) currencyOfResult(ctx context.Context) (string, error) {
	if run.asOf.IsZero() && run.Client.Calls() == 0 && !run.Cache.has("currencies", maxRecordAge) {
		return "", nil
	}
	currency, err := run.Currency(ctx)
	return currency.ISOCode, err
}

func reflectSchema[T any]() *jsonschema.Schema {
	reflector := jsonschema.Reflector{DoNotReference: true, Anonymous: true}
	schema := reflector.ReflectFromType(reflect.TypeFor[T]())
	schema.Version = ""
	return schema
}

// nullablePointers allows null for every pointer field without omitempty, because unknown figures are null. Without it,
// each such field would need a tag, which is easy to forget.
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
