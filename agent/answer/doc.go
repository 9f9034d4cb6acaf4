// Package answer is the language in which a model's text refers to reports.
package answer
