// Cells of a CSV file.

// These characters can precede a formula: the beginning of a cell, and every possible separator. Spreadsheets that
// separate by semicolons, as most do where the comma is the decimal mark, ignore quotes after a comma: they split
// x;=1+1;y even if it is quoted. The comma itself is harmless, because where it separates, the quotes count.
const armed = /(?<=^|[;|\t\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\n])/g

// quoted returns a text cell that no spreadsheet runs as a formula or splits, whichever separator it uses.
export const quoted = text => '"' + text.replace(/\r\n?/g, '\n').replace(armed, "'").replaceAll('"', '""') + '"'
