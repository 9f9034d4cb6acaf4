// Package answer turns the text of a model into the text that the user reads. References become values (package reference),
// digits of the model's own are looked up (package evidence), and what acts by being shown is left out (package markup).
//
// A [Writer] says beside a figure what its sentence leaves open or says otherwise: the row, and what tells it from others of
// its name; the measure where the words name another one of the report; the list where the report has two with the same fields;
// what a difference is taken from; and the period where the sentence names other days only.
package answer
