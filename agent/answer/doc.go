// Package answer turns a model's text into the text that the user reads. References become values (package
// reference), digits of the model's own are looked up (package evidence), and links, HTML and codes of drafts are
// made harmless (package markup).
//
// The words around a figure are the model's and are not checked. The [Writer] adds the name of a figure's row if the
// paragraph does not have it. Below the answer, the [Legend] says what each figure is: its measure, its row and rank
// in the list, or how it is computed, over which rows and for which period.
package answer
