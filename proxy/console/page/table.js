// Tables that stay fast with thousands of rows: of these, the page contains only the visible rows, and empty space above and
// below them. Where there is too little room for the columns, each row is a block of labels and values.
import {h, icon, hidden, broad} from './dom.js'
import {Figure} from './exact.js'
import {t, label, compare, sign, whole, written, unknown, percent} from './words.js'
import {button} from './parts.js'
import {csv, xlsx, save} from './export.js'

const mostWhole = 100 // a table of more rows contains only the visible ones, which are all as high as the first
const spare = 12 // rows that are drawn beyond each edge

export const numeric = column => ['money', 'percent', 'units', 'units_per_day', 'count', 'days', 'months', 'ratio'].includes(column.kind)

// headline returns a column's heading with its unit.
export const headline = (column, currency) => label(column) +
  (column.kind === 'money' && !column.currency && currency ? ',\u00a0' + sign(currency) : '') + (column.kind === 'percent' ? ',\u00a0%' : '')

const widest = {name: 16, counterparty: 16, supplier: 13, warehouse: 11, organization: 14, code: 8, expression: 16} // of text, in rem

// widthOf returns the width of a column in rem: enough for its figures and for each word of its heading. Longer text takes
// two lines.
function widthOf(column, rows, currency) {
  const fit = length => 1.6 + (numeric(column) ? 0.58 : 0.64) * length
  const head = Math.max(...headline(column, currency).split(/[ -]/).map(word => word.length))
  if (column.width) return Math.max(fit(head), column.width)
  const length = value => value instanceof Figure ? value.text.length + (column.kind === 'money' ? column.currency ? 6 : 3 : 1) : (written(column, value, {}, currency) ?? '').length
  const content = rows.reduce((longest, row) => Math.max(longest, length(column.by ? column.by(row) : row[column.field])), 0)
  return Math.max(fit(head), Math.min(fit(content), numeric(column) ? Infinity : widest[column.field] ?? (column.parts ? 13 : 10)))
}

// table draws rows. The columns come from the service's layouts. A column may also have these functions: cell draws its
// nodes, why explains an unknown value, text is what is searched and exported, exported is what is exported instead of text,
// and by is what it is sorted by. source is the result that the rows come from, which exports mention.
export function table({title, columns, rows, currency, source, file, note, level = 'h2'}) {
  const texts = columns.filter(c => !numeric(c) && c.kind !== 'flag')
  let shown = rows, sorted = {column: null, direction: 0}, first = -1, last = -1
  const find = h('input', {type: 'search', placeholder: t('table.filter'), 'aria-label': t('table.filter.of', {title}), on: {input: () => arrange()}})
  const tally = h('p', {class: 'tally', role: 'status'})
  const body = h('tbody')
  const heads = columns.map(column => h('th', {scope: 'col', class: numeric(column) ? 'figure' : null, 'aria-sort': 'none'},
    h('button', {type: 'button', on: {click: () => sort(column)}}, h('span', {}, headline(column, currency)), icon('down'))))
  const wide = columns.map(c => widthOf(c, rows, currency))
  const grid = h('table', {'aria-rowcount': rows.length + 1, style: broad(wide)},
    h('caption', {class: 'spoken'}, title),
    h('colgroup', {}, wide.map(w => h('col', {style: {width: w + 'rem'}}))),
    h('thead', {}, h('tr', {'aria-rowindex': 1}, heads)), body)
  const many = rows.length > mostWhole, small = rows.length < 8
  const scroll = h('div', {class: many ? 'grid-scroll many' : small ? 'grid-scroll few' : 'grid-scroll', tabindex: '0', role: 'region', 'aria-label': title, on: {scroll: () => requestAnimationFrame(() => draw())}}, grid)

  function sort(column) {
    const downFirst = numeric(column)
    const next = sorted.column !== column ? (downFirst ? -1 : 1) : sorted.direction === (downFirst ? -1 : 1) ? -sorted.direction : 0
    sorted = {column: next ? column : null, direction: next}
    columns.forEach((c, i) => heads[i].setAttribute('aria-sort', c !== sorted.column ? 'none' : next > 0 ? 'ascending' : 'descending'))
    arrange()
  }

  function arrange() {
    const wanted = plainly(find.value)
    shown = wanted ? rows.filter(row => texts.some(c => plainly(c.text ? c.text(row) : written(c, row[c.field], row, currency) ?? '').includes(wanted))) : rows
    const key = sorted.column && (sorted.column.by ?? (row => row[sorted.column.field]))
    if (sorted.column) shown = [...shown].sort((a, b) => order(key(a), key(b), sorted.direction))
    tally.textContent = shown.length === rows.length ? t('table.rows', {n: whole(rows.length)}) : t('table.some', {n: whole(shown.length), all: whole(rows.length)})
    scroll.scrollTop = 0
    first = -1
    draw()
  }

  function draw() {
    const height = many && body.querySelector('[aria-rowindex]')?.offsetHeight || 44
    const from = many ? Math.max(0, Math.floor(scroll.scrollTop / height) - spare) : 0
    const to = many ? Math.min(shown.length, from + Math.ceil((scroll.clientHeight || 600) / height) + 2 * spare) : shown.length
    if (from === first && to === last) return
    ;[first, last] = [from, to]
    const room = n => n > 0 && h('tr', {class: 'room', 'aria-hidden': 'true'}, h('td', {colspan: columns.length, style: {height: n * height + 'px'}}))
    body.replaceChildren(...[room(from), ...shown.slice(from, to).map((row, i) => line(row, from + i)), room(shown.length - to)].filter(Boolean))
    if (!shown.length) body.append(h('tr', {}, h('td', {colspan: columns.length, class: 'none'}, t('table.none'))))
  }

  const line = (row, at) => h('tr', {'aria-rowindex': at + 2}, columns.map((column, i) => {
    const made = column.cell ? column.cell(row) : cell(column, row, currency)
    return h(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: numeric(column) ? 'figure' : null, 'data-label': headline(column, currency)}, h('div', {class: 'cell'}, made))
  }))

  const exported = () => ({title, columns: columns.filter(c => !c.unexported), rows: shown, currency, source})
  const section = h('section', {class: 'grid', 'data-table': file},
    h('div', {class: 'grid-bar'}, h(level, {}, title), h('div', {class: 'row'}, !small && find,
      file && [button('CSV', () => save(`${file}.csv`, 'text/csv', csv(exported())), {kind: 'quiet', 'aria-label': t('export.csv', {title})}),
        button('XLSX', () => save(`${file}.xlsx`, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', xlsx(exported())), {kind: 'quiet', 'aria-label': t('export.xlsx', {title})})])),
    note && h('p', {class: 'faint'}, note), scroll, small ? null : tally)
  arrange()
  new ResizeObserver(() => draw()).observe(scroll)
  return section
}

// cell draws a value. Text from other people is isolated from the text around it.
export function cell(column, row, currency) {
  const value = row[column.field]
  if (value === undefined) return '' // the row does not have this value, which is not the same as an unknown value
  const text = column.kind === 'percent' && value instanceof Figure ? percent(value).replace(/\s?%$/, '') : written(column, value, row, currency)
  if (text === null) return unknown(column.why?.(row) ?? t('unknown.' + (column.kind === 'money' || column.kind === 'percent' ? 'money' : 'value')))
  if (value instanceof Figure) return h('span', {class: value.negative ? 'negative' : null}, text)
  return h('bdi', {title: text.length > 24 ? text.slice(0, 300) : null}, text)
}

const plainly = text => String(text).toLowerCase().replaceAll('ё', 'е').trim()

// order sorts unknown values last in both directions.
function order(a, b, direction) {
  const unknownA = a === null || a === undefined || a === '', unknownB = b === null || b === undefined || b === ''
  if (unknownA || unknownB) return unknownA - unknownB
  if (a instanceof Figure && b instanceof Figure) return direction * (a.number - b.number)
  if (typeof a === 'number') return direction * (a - b)
  return direction * compare(String(a), String(b))
}
