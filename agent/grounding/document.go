package grounding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// Document checks an answer that is JSON. Its texts are checked as an answer's text is, names of fields included; its
// numbers are figures of which the name of their field says the unit, as the head of a table's column does. It gives the
// document as it may be shown: without secrets and live links, else as it was. The error tells that it is not JSON.
func (c *Check) Document(text string) (shown string, problems []Problem, err error) {
	d := document{check: c, number: c.number}
	shown, err = d.read(text)
	return shown, d.problems, err
}

// Arguments checks what a model tells a program to do, as JSON. The rules are those of [Check.Document], but whole
// numbers below a thousand pass: they are mostly pages, limits and positions.
func (c *Check) Arguments(text string) (problems []Problem, err error) {
	d := document{check: c, number: func(name, number string) []Problem {
		if len(strings.TrimPrefix(number, "-")) <= 3 && !strings.ContainsAny(number, ".eE") {
			return nil
		}
		return c.number(name, number)
	}}
	_, err = d.read(text)
	return d.problems, err
}

// number judges a number as the cell of a table below the name of its field.
func (c *Check) number(name, number string) []Problem {
	head := plain(strings.ReplaceAll(name, "_", " "))
	over := columnOf(head)
	if over.is == bare && strings.Contains(head, "percent") {
		over.is = percent
	}
	return c.judge(passage{text: plain(number), cell: true, label: head, over: over, list: new(list)})
}

// identifier is a name that a program gave a field: "total_30d", "b2b". It says nothing about the books.
var identifier = expression.Of(`^[A-Za-z_$][A-Za-z_-]*([0-9]{1,3}[A-Za-z_-]*){0,3}$`)

// document rewrites JSON value by value, keeping the order of fields and the form of numbers.
type document struct {
	check    *Check
	number   func(name, number string) []Problem
	problems []Problem
	out      bytes.Buffer
}

func (d *document) read(text string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := d.value(decoder, ""); err != nil {
		return "", err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return "", fmt.Errorf("there is more after the JSON value")
	}
	return d.out.String(), nil
}

// value reads one value; name is that of the field it is in.
func (d *document) value(decoder *json.Decoder, name string) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return d.members(decoder, v, name)
	case json.Number:
		d.problems = append(d.problems, d.number(name, v.String())...)
		d.out.WriteString(v.String())
	case string:
		d.text(v)
	default:
		d.encode(v)
	}
	return nil
}

// members reads an object or a list after its opening bracket.
func (d *document) members(decoder *json.Decoder, open json.Delim, name string) error {
	d.out.WriteString(open.String())
	for first := true; decoder.More(); first = false {
		if !first {
			d.out.WriteByte(',')
		}
		of := name
		if open == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			if of, _ = key.(string); identifier.MatchString(of) {
				d.encode(of)
			} else {
				d.text(of)
			}
			d.out.WriteByte(':')
		}
		if err := d.value(decoder, of); err != nil {
			return err
		}
	}
	end, err := decoder.Token()
	if err != nil {
		return err
	}
	d.out.WriteString(end.(json.Delim).String())
	return nil
}

func (d *document) text(text string) {
	shown, problems := d.check.Text(text)
	d.problems = append(d.problems, problems...)
	d.encode(shown)
}

func (d *document) encode(value any) {
	encoder := json.NewEncoder(&d.out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // texts, booleans and null always encode
	}
	d.out.Truncate(d.out.Len() - 1) // the encoder's line end
}
