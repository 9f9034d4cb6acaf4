// Exported tables: CSV for programs, XLSX for people. Both have the exact digits of the service's figures.
import {Figure} from './exact.js'
import {current, conditions, t, noteText, written, layoutOf, label} from './words.js'
import {headline, numeric} from './table.js'
import {visible} from './dom.js'
import {quoted} from './cells.js'

// valueOf returns the content of a cell, which is a figure or text. For an unknown value it returns null, and the cell is
// empty, also where the page shows a dash.
function valueOf(column, row, currency) {
  const value = row[column.field]
  if (value instanceof Figure) return value
  if (column.exported) return column.exported(row)
  if (column.text) return column.text(row)
  const text = written(column, value, row, currency)
  return text === '—' ? null : text
}

// If a money column has several currencies, its heading has none, and each row gets its own.
const spread = columns => columns.flatMap(c => c.currency && !columns.some(other => other.field === c.currency) ? [c, {field: c.currency, kind: 'text', title: t('currency')}] : [c])

const heading = (column, currency) => headline(column, currency).replaceAll('\u00a0', ' ')

// csv returns a table in the format of RFC 4180, in UTF-8 with a byte order mark. Without the mark, spreadsheets misread
// Cyrillic. In Russian, the decimal mark is a comma and cells are separated by semicolons, because Russian spreadsheets open nothing
// else as a table.
export function csv({columns, rows, currency}) {
  const list = spread(columns), [separator, mark] = current() === 'ru' ? [';', ','] : [',', '.']
  const lines = [list.map(c => quoted(heading(c, currency))), ...rows.map(row => list.map(c => {
    const value = valueOf(c, row, currency)
    return value instanceof Figure ? value.text.replace('.', mark) : quoted(value ?? '')
  }))]
  return '\ufeff' + lines.map(line => line.join(separator) + '\r\n').join('')
}

// save downloads a file.
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], {type}))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

// xlsx returns the smallest workbook that spreadsheets open without a warning. Its second sheet says where the figures come
// from. Text cells are inline strings, which spreadsheets do not treat as formulas.
export function xlsx({title, columns, rows, currency, source}) {
  const list = spread(columns)
  const head = list.map(c => text(heading(c, currency), 1))
  const body = rows.map(row => list.map(c => {
    const value = valueOf(c, row, currency)
    if (value instanceof Figure) return `<c s="${styles[c.kind] ?? 0}"><v>${value.text}</v></c>`
    return value === null || value === '' ? '<c/>' : text(value)
  }))
  const files = {
    '[Content_Types].xml': contentTypes,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${related}"><sheets><sheet name="${escaped(sheetName(title))}" sheetId="1" r:id="rId1"/><sheet name="${escaped(t('export.source'))}" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['worksheet', 'worksheets/sheet2.xml'], ['styles', 'styles.xml']),
    'xl/styles.xml': styleSheet,
    'xl/worksheets/sheet1.xml': sheet([head, ...body], list.map(c => numeric(c) || ['day', 'moment', 'flag'].includes(c.kind) ? 14 : 28), true),
    'xl/worksheets/sheet2.xml': sheet(origin(title, source), [24, 90], false),
  }
  return zip(files)
}

function origin(title, source) {
  const lines = [[t('export.table'), title]]
  if (source) {
    lines.push([t('source.tool'), source.tool + (layoutOf(source.tool) ? ` (${label(layoutOf(source.tool))})` : '')],
      ...conditions(source), [t('source.as_of'), source.as_of],
      [t('source.account'), source.account_id], [t('source.connection'), source.connection_id],
      [t('source.calls'), source.upstream_calls.text], [t('currency'), source.currency],
      ...source.notes.map(note => [note.code, noteText(note)]))
  }
  return lines.map(([name, value]) => [text(name, 1), text(String(value ?? ''))])
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const related = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const contentTypes = `${declaration}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
  [['workbook', 'sheet.main'], ['worksheets/sheet1', 'worksheet'], ['worksheets/sheet2', 'worksheet'], ['styles', 'styles']]
    .map(([part, type]) => `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`).join('') + '</Types>'

const relations = (...targets) => `${declaration}<Relationships xmlns="${packaged}/relationships">${targets.map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${related}/${type}" Target="${target}"/>`).join('')}</Relationships>`

// styles are the indexes of cellXfs below: general, heading, two decimals.
const styles = {money: 2, percent: 2}

const styleSheet = `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`

function sheet(rows, widths, frozen) {
  return `${declaration}<worksheet xmlns="${main}">` +
    (frozen ? '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' : '') +
    `<cols>${widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`).join('')}</cols>` +
    `<sheetData>${rows.map((cells, i) => `<row r="${i + 1}">${cells.map((cell, j) => cell.replace('<c', `<c r="${letters(j)}${i + 1}"`)).join('')}</row>`).join('')}</sheetData></worksheet>`
}

// letters returns the name of a column: A to Z, AA and so on.
const letters = n => (n >= 26 ? letters(Math.floor(n / 26) - 1) : '') + String.fromCharCode(65 + n % 26)

const text = (value, style = 0) => `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(value.slice(0, 32_000))}</t></is></c>`

// escaped makes text valid in XML. Spreadsheets read _x0041_ as a character code, so the underscore of such a text is
// escaped.
const escaped = value => visible(value).replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
  .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g, '\ufffd')
  .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

// sheetName returns a valid name of a sheet.
const sheetName = title => visible(title).replace(/[[\]:*?/\\']/g, ' ').slice(0, 31).trim() || 'Kopeck'

// zip packs files without compression.
function zip(files) {
  const coder = new TextEncoder(), parts = [], directory = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const path = coder.encode(name), data = coder.encode(content), sum = crc32(data)
    const fields = [20, 0x0800, 0, 0, 0x21]  // version, UTF-8 names, stored, midnight, 1 January 1980
    const local = record([[0x04034b50, 4], ...fields.map(n => [n, 2]), [sum, 4], [data.length, 4], [data.length, 4], [path.length, 2], [0, 2]])
    directory.push(record([[0x02014b50, 4], [20, 2], ...fields.map(n => [n, 2]), [sum, 4], [data.length, 4], [data.length, 4], [path.length, 2],
      [0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]), path)
    parts.push(local, path, data)
    offset += local.length + path.length + data.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0), count = Object.keys(files).length
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]])
  return new Blob([...parts, ...directory, end])
}

// record writes numbers in 2 or 4 bytes, the least significant byte first.
function record(numbers) {
  const bytes = new Uint8Array(numbers.reduce((sum, [, size]) => sum + size, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [n, size] of numbers) {
    size === 4 ? view.setUint32(at, n, true) : view.setUint16(at, n, true)
    at += size
  }
  return bytes
}

const sums = Uint32Array.from({length: 256}, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n
})

function crc32(data) {
  let sum = 0xffffffff
  for (const byte of data) sum = sums[(sum ^ byte) & 0xff] ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}
