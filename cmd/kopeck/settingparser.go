package main

import (
	"cmp"
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

// language is "ru", "en" or empty.
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

// settingParser parses settings that are not strings, and keeps the error of an invalid one. kong's own error message would
// contain Go types, and would name the flag even if the environment variable was set.
type settingParser struct{ err error }

func (p *settingParser) options() []kong.Option {
	const whole = "a whole number"
	return []kong.Option{
		kong.TypeMapper(
			reflect.TypeFor[time.Duration](), p.parserFor(reflect.TypeFor[time.Duration](), "a duration with its unit, for instance 24h or 90m"),
		),
		kong.KindMapper(reflect.Int, p.parserFor(reflect.TypeFor[int](), whole)),
		kong.KindMapper(reflect.Int64, p.parserFor(reflect.TypeFor[int64](), whole)),
		kong.TypeMapper(reflect.TypeFor[language](), typeParser{kong.MapperFunc(readLanguage), "ru or en", p}),
		kong.KindMapper(reflect.Bool, p.parserFor(reflect.TypeFor[bool](), "true or false")),
	}
}

func (p *settingParser) parserFor(t reflect.Type, allowed string) kong.Mapper {
	return typeParser{kong.NewRegistry().RegisterDefaults().ForType(t), allowed, p}
}

// typeParser parses values of one type. Its errors name the environment variable, if the setting has one.
type typeParser struct {
	kong.Mapper
	allowed string
	parser  *settingParser
}

func (p typeParser) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	text := ctx.Scan.Peek().String()
	err := p.Mapper.Decode(ctx, target)
	if err != nil {
		name := "--" + ctx.Value.Name
		for _, variable := range ctx.Value.Tag.Envs {
			name = cmp.Or(variable, name)
		}
		p.parser.err = settingError(name, fmt.Sprintf("holds %q", text), p.allowed)
	}
	return err
}

// IsBoolFromValue tells kong which flags have no value.
func (p typeParser) IsBoolFromValue(v reflect.Value) bool { return v.Kind() == reflect.Bool }
