// Cells of a CSV.

// What may stand before a formula: the beginning of a cell, and whatever may be a separator elsewhere. A spreadsheet that
// separates by semicolons, as most do where the comma is the decimal mark, does not see quotes that follow a comma: it takes
// x;=1+1;y apart however it is quoted. The comma needs nothing, for where it separates, the quotes count.
const armed = /(?<=^|[;|\t\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\n])/g

// quoted is a text cell that no spreadsheet runs as a formula or takes apart, with whichever separator it reads.
export const quoted = text => '"' + text.replace(/\r\n?/g, '\n').replace(armed, "'").replaceAll('"', '""') + '"'
