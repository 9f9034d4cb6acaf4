// Package answer turns the text of a model into the text that the user reads. References become values (package reference),
// digits of the model's own are looked up (package evidence), and what acts by being shown is left out (package markup).
//
// A [Writer] says beside a figure what its sentence leaves open or says otherwise:
//   - the row, unless it is the one that the text named last, and what tells it from others of its name;
//   - the measure, where the words name another one of the report, or none and there are several of its kind;
//   - of which function of rows it is, that it counts positions, or is of a whole, where the words say another;
//   - the rank of a row that the words call the first, and whose a least or greatest value is;
//   - the list, where the report has two with the same fields;
//   - what a difference is taken from;
//   - by what rows were chosen, where the text has not the constants of the expression;
//   - that it is of a whole report, where the sentence names a part of it;
//   - the period, where the dates beside it are others, or the answer has several periods and no dates.
package answer
