// Package answer turns the text of a model into the text that the user reads. References become values (package reference),
// digits of the model's own are looked up (package evidence), and what acts by being shown is left out (package markup).
//
// The words around a figure are the model's, and nobody judges them. A [Writer] adds the name of a figure's row if the paragraph does not
// have it. Below the answer the [Legend] says of every figure what it is: its measure, its row and place in the list, or how it is
// computed and over which rows, and for which period.
package answer
