package main

import (
	"cmp"
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

// language is one that we speak, or empty.
type language string

func readLanguage(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("language", &text); err != nil {
		return err
	}
	if text != "" && text != "ru" && text != "en" {
		return fmt.Errorf("%q is neither ru nor en", text)
	}
	target.SetString(text)
	return nil
}

// held reads the settings that are no texts as kong does, and keeps what is wrong with one that cannot be read: kong itself
// says it in words of Go's types, and names the flag where a variable was set.
type held struct{ wrong error }

func (h *held) options() []kong.Option {
	const whole = "a whole number"
	return []kong.Option{
		kong.TypeMapper(
			reflect.TypeFor[time.Duration](), h.reading(reflect.TypeFor[time.Duration](), "a duration with its unit, for instance 24h or 90m"),
		),
		kong.KindMapper(reflect.Int, h.reading(reflect.TypeFor[int](), whole)),
		kong.KindMapper(reflect.Int64, h.reading(reflect.TypeFor[int64](), whole)),
		kong.TypeMapper(reflect.TypeFor[language](), reading{kong.MapperFunc(readLanguage), "ru or en", h}),
		kong.KindMapper(reflect.Bool, h.reading(reflect.TypeFor[bool](), "true or false")),
	}
}

func (h *held) reading(t reflect.Type, allowed string) kong.Mapper {
	return reading{kong.NewRegistry().RegisterDefaults().ForType(t), allowed, h}
}

// reading reads values of one type.
type reading struct {
	kong.Mapper
	allowed string
	held    *held
}

func (r reading) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	text := ctx.Scan.Peek().String()
	err := r.Mapper.Decode(ctx, target)
	if err != nil {
		name := "--" + ctx.Value.Name
		for _, variable := range ctx.Value.Tag.Envs {
			name = cmp.Or(variable, name)
		}
		r.held.wrong = setting(name, fmt.Sprintf("holds %q", text), r.allowed)
	}
	return err
}

// IsBoolFromValue tells kong which flags go without a value.
func (r reading) IsBoolFromValue(v reflect.Value) bool { return v.Kind() == reflect.Bool }
