// Cells of a CSV file.

// A formula could begin after any of these: the beginning of a cell, and every possible separator. Where the comma is the
// decimal mark, most spreadsheets separate cells by semicolons. They ignore quotes after a comma, so they split x;=1+1;y
// even if it is quoted. A comma is harmless: where it separates cells, quotes work.
const armed = /(?<=^|[;|\t\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\n])/g

// quoted returns a text cell that no spreadsheet treats as a formula or splits, whatever its separator.
export const quoted = text => '"' + text.replace(/\r\n?/g, '\n').replace(armed, "'").replaceAll('"', '""') + '"'
