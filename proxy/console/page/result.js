// Draws a tool's result: where it comes from, its notes, its figures and its lists.
import {h, visible} from './dom.js'
import {dig} from './exact.js'
import {t, label, layoutOf, noteText, moment, amount, written, unknown, whole} from './words.js'
import {Figure} from './exact.js'
import {table} from './table.js'

// origin shows where the figures come from: the report, the account, the time of the data, and the number of calls to the
// upstream.
export function origin(result, account) {
  return facts([
    [t('source.tool'), h('span', {title: result.tool}, label(layoutOf(result.tool)) || result.tool)],
    account && [t('source.account'), h('bdi', {}, visible(account))],
    [t('source.as_of'), h('time', {datetime: result.as_of}, moment(result.as_of))],
    [t('source.calls'), result.upstream_calls.text],
    result.duration_ms && [t('source.took'), t('source.ms', {n: whole(result.duration_ms.number)})],
  ].filter(Boolean))
}

// facts draws names and their texts, or nothing if there are none.
export const facts = all => all.length > 0 && h('dl', {class: 'origin'}, all.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))

const warnings = new Set(['MARGIN_UNRELIABLE', 'STALE', 'STOCK_RECALCULATING', 'MONEY_HIDDEN', 'SETTLEMENTS_HIDDEN', 'SEEN_IN_PART', 'UNPOSTED_ORDER'])

// notes draws a result's notes, without those that another result on the page has too.
export function notes(result, other) {
  const own = result.notes.filter(note => !other?.notes.some(o => noteText(o) === noteText(note)))
  return own.length > 0 && h('ul', {class: 'notes', 'aria-label': t('notes')}, own.map(note => h('li', {class: warnings.has(note.code) ? 'warning' : null, 'data-code': note.code}, noteText(note))))
}

// tiles draws a result's single figures. If names are given, it draws only these fields, in this order.
export function tiles(result, names) {
  const layout = layoutOf(result.tool)
  const columns = names ? names.map(name => layout.figures.find(c => c.field === name)) : layout.figures
  return cards(columns.map(column => [label(column), figure(column, dig(result.result, column.field), dig(result.result, column.field.replace(/\.?[^.]+$/, '')) ?? result.result, result.currency)]))
}

// cards draws names and the texts of their figures. All figures get the size in which the longest fits its card.
export function cards(facts) {
  return h('dl', {class: 'tiles', style: {'--longest': Math.max(1, ...facts.map(([, text]) => text?.length ?? 1))}},
    facts.map(([name, text]) => h('div', {class: 'tile'}, h('dt', {}, name), h('dd', {}, text ?? unknown()))))
}

// figure returns the text of a single figure, or null if it is unknown.
function figure(column, value, siblings, currency) {
  if (value instanceof Figure && column.kind === 'money') return amount(value, column.currency ? siblings[column.currency] : currency)
  return written(column, value, siblings, currency)
}

// everything draws a result's notes, figures and lists. If the rows of a list have lines of their own, the rows come first.
export const everything = (result, level) => [notes(result), tiles(result), layoutOf(result.tool).tables.map(section =>
  [section.lines && list(result, {...section, lines: null}, {level}), list(result, section, {level})])].flat(3).filter(Boolean)

// list draws one list of a result. If the rows have lines of their own, each row gets a table.
export function list(result, section, {level = 'h2', columns = section.columns, title} = {}) {
  const nested = columns.filter(c => c.field.includes('.'))
  const rows = (dig(result.result, section.field) ?? []).map(row => ({...row, ...Object.fromEntries(nested.map(c => [c.field, dig(row, c.field)]))}))
  if (!rows.length && section.quiet) return null
  title ??= label(section) || label(layoutOf(result.tool))
  if (section.lines) return rows.map(row => list({...result, result: row}, section.lines, {level, title: section.columns.map(c => written(c, row[c.field], row, result.currency)).filter(Boolean)[0] ?? '—'}))
  return table({title, columns: present(columns, rows), rows, currency: result.currency, source: result, file: fileName(result, section.field), level})
}

// present leaves out columns that are empty in all rows, such as the column for variants if margins are grouped by channel.
const present = (columns, rows) => columns.filter(c => !rows.length || rows.some(row => row[c.field] !== undefined && row[c.field] !== '' && !(Array.isArray(row[c.field]) && !row[c.field].length)))

export const fileName = (result, part) => ['kopeck', result.tool, part === 'rows' ? '' : part, result.as_of.slice(0, 10)].filter(Boolean).join('-')

