// Where the figures in an answer come from, as the service sends it with the answer.
import {h, visible} from './dom.js'
import {t, label, layoutOf, moment} from './words.js'
import {button} from './parts.js'

// These marks surround a figure in the text. The figure's number is between the first two. They cannot occur in an answer,
// because the service removes private-use characters.
const [from, number, to] = ['\ue000', '\ue001', '\ue002']

// marked inserts the marks around the figures. Positions are counted in code points. A figure that consists of a table is
// not marked in place: a line below the table gets the marks.
export function marked(text, figures) {
  const characters = Array.from(text.replace(/[\ue000-\uf8ff]/g, ''))
  let out = '', at = 0
  figures.forEach((figure, i) => {
    if (figure.start < at || figure.end > characters.length) return
    const written = characters.slice(figure.start, figure.end).join('')
    out += characters.slice(at, figure.start).join('') + (figure.kind === 'table' ? `${written}\n${from}${i}${number}${t('source.table')}${to}\n` : from + i + number + written + to)
    at = figure.end
  })
  return out + characters.slice(at).join('')
}

// placed returns the figures of an answer, with their positions converted to numbers.
export const placed = figures => (figures ?? []).map(f => ({...f, start: f.start.number, end: f.end.number}))

// figureMark matches a marked figure. Its groups are the number and the text of the figure.
export const figureMark = `${from}(\\d+)${number}([^${to}]*)${to}`

// sourced draws a figure of an answer as a button that shows where the figure comes from.
export const sourced = (figure, text) => h('button', {type: 'button', class: figure.kind === 'table' ? 'sourced faint' : figure.marked ? 'sourced unknown' : 'sourced', title: t(figure.kind === 'table' ? 'source.table' : 'source.of'), on: {click: () => show(figure, text)}}, text)

function show(figure, text) {
  const close = () => { dialog.close(); dialog.remove() }
  const dialog = h('dialog', {class: 'trace', 'aria-label': t('source.of'), on: {cancel: () => dialog.remove(), click: event => event.target === dialog && close()}},
    h('header', {}, h('strong', {}, text), button(t('close'), close, {kind: 'quiet'})),
    h('p', {}, t('source.expression'), ' ', h('code', {}, visible(figure.expression))),
    (figure.origins ?? []).length === 0 && h('p', {class: 'faint'}, t(figure.marked ? 'source.none' : 'source.words')),
    h('ul', {}, (figure.origins ?? []).map(origin => h('li', {}, described(origin)))),
    figure.more && h('p', {class: 'faint'}, t('source.more', {n: figure.more.text})))
  document.body.append(dialog)
  dialog.showModal()
}

// described draws an origin: report, field, row and the time of the data.
function described(origin) {
  const layout = layoutOf(origin.tool)
  const columns = section => section ? [...section.columns, ...columns(section.lines)] : []
  const last = origin.field.split('.').at(-1)
  const column = layout?.figures.find(c => c.field === origin.field) ?? layout?.tables.flatMap(columns).find(c => c.field === last)
  const list = layout?.tables.find(s => s.field === origin.field)
  return h('span', {}, h('strong', {}, visible(origin.source || label(layout) || origin.tool)), ' · ', label(column ?? list) || last,
    origin.name && [' · ', h('bdi', {}, visible(origin.name).slice(0, 120))], origin.row && h('span', {class: 'faint'}, ' ', t('source.row', {n: origin.row.text})),
    ' ', h('code', {class: 'faint'}, visible(origin.report + '.' + origin.field)), ' ', h('span', {class: 'faint'}, moment(origin.as_of)))
}
