package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"time"

	"github.com/alecthomas/kong"
	"github.com/shopspring/decimal"
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
// contain Go types.
type settingParser struct{ err error }

func (p *settingParser) options() []kong.Option {
	const whole = "a whole number"
	return []kong.Option{
		kong.PostBuild(unsetEmptyVariables),
		kong.TypeMapper(
			reflect.TypeFor[time.Duration](), p.parserFor(reflect.TypeFor[time.Duration](), "a duration with its unit, for instance 24h or 90m"),
		),
		kong.KindMapper(reflect.Int, p.parserFor(reflect.TypeFor[int](), whole)),
		kong.KindMapper(reflect.Int64, p.parserFor(reflect.TypeFor[int64](), whole)),
		kong.TypeMapper(reflect.TypeFor[*decimal.Decimal](), p.parserFor(reflect.TypeFor[*decimal.Decimal](), "a number, for instance 2.50")),
		kong.TypeMapper(reflect.TypeFor[language](), typeParser{kong.MapperFunc(readLanguage), "ru or en", p}),
		kong.KindMapper(reflect.Bool, p.parserFor(reflect.TypeFor[bool](), "true or false")),
	}
}

// unsetEmptyVariables makes an empty variable mean the default, because Compose and .env files pass variables that nobody has set
// as empty.
func unsetEmptyVariables(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, is := node.(*kong.Flag); is {
			for _, variable := range flag.Envs {
				if os.Getenv(variable) == "" {
					_ = os.Unsetenv(variable) // fails only for names that no variable can have
				}
			}
		}
		return next(nil)
	})
}

func (p *settingParser) parserFor(t reflect.Type, allowed string) kong.Mapper {
	return typeParser{kong.NewRegistry().RegisterDefaults().ForType(t), allowed, p}
}

var negativeNumber = regexp.MustCompile(`^-[0-9]`)

// typeParser parses values of one type. Its errors name the environment variable, if the setting has one.
type typeParser struct {
	kong.Mapper
	allowed string
	parser  *settingParser
}

func (p typeParser) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	text := ctx.Scan.Peek().String()
	if negativeNumber.MatchString(text) { // kong would take it for a flag, and its own range of values is checked later
		ctx.Scan.Pop()
		ctx.Scan.PushTyped(text, kong.FlagValueToken)
	}
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
