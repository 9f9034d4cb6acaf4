// Where a figure of an answer comes from: every number that a tool's result of the conversation holds can be asked.
import {h, visible} from './dom.js'
import {Figure} from './exact.js'
import {t, label, layoutOf} from './words.js'
import {button} from './parts.js'
import {origin} from './result.js'

// canonical is a decimal text without what does not change its value.
const canonical = text => {
  text = text.replace('\u2212', '-')
  if (text.includes('.')) text = text.replace(/0+$/, '').replace(/\.$/, '')
  return text.replace(/^(-?)0+(?=\d)/, '$1')
}

// index finds the places of results that hold a number.
function index(results) {
  const places = new Map(), names = new Set()
  const note = (text, place) => {
    const key = canonical(text)
    if (!places.has(key)) places.set(key, [])
    places.get(key).push(place)
  }
  const walk = (value, path, row, result) => {
    if (value instanceof Figure) note(value.text, {result, path, row, value})
    else if (Array.isArray(value)) value.forEach((item, i) => walk(item, [...path, i], item, result))
    else if (value && typeof value === 'object') Object.entries(value).forEach(([name, item]) => walk(item, [...path, name], row, result))
    else if (typeof value === 'string' && /\d/.test(value) && value.length > 3) names.add(visible(value))
  }
  for (const result of results) {
    walk(result.result, [], null, result)
    for (const said of result.notes) for (const value of Object.values(said.values ?? {})) if (/^-?\d+(\.\d+)?$/.test(value)) note(value, {result, path: [said.code], note: said})
  }
  return {places, names: [...names]}
}

// number is one that is no part of a word, a day or a time.
const number = /(?<![\p{L}\d-]|\d[.:])[-\u2212]?(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?![\p{L}\d]|[.:]\d)/gu

// readings are the decimals that a written number may stand for, in either language.
const readings = text => {
  const tight = text.replace(/[ \u00a0\u202f]/g, '')
  return [...new Set([tight.replace(',', '.'), tight.replaceAll(',', '')])].map(canonical)
}

// link makes each figure of a drawn answer a button that tells its source. Numbers inside names are left alone.
export function link(drawn, results) {
  if (!results.length) return
  const {places, names} = index(results)
  const walker = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode()) if (/\d/.test(walker.currentNode.data) && !walker.currentNode.parentElement.closest('code, th')) texts.push(walker.currentNode)
  for (const node of texts) {
    const text = node.data, taken = names.flatMap(name => { const at = text.indexOf(name); return at < 0 ? [] : [[at, at + name.length]] })
    const made = []
    let at = 0
    for (const found of text.matchAll(number)) {
      if (taken.some(([from, to]) => found.index >= from && found.index < to)) continue
      const sources = readings(found[0]).map(reading => places.get(reading)).find(Boolean)
      if (!sources) continue
      made.push(text.slice(at, found.index), h('button', {type: 'button', class: 'sourced', title: t('source.of'), on: {click: () => show(found[0], sources)}}, found[0]))
      at = found.index + found[0].length
    }
    if (made.length) node.replaceWith(...made, text.slice(at))
  }
}

// show tells the places that a figure stands in.
function show(figure, sources) {
  const close = () => { dialog.close(); dialog.remove() }
  const results = [...new Set(sources.map(s => s.result))]
  const dialog = h('dialog', {class: 'trace', 'aria-label': t('source.of'), on: {cancel: () => dialog.remove(), click: event => event.target === dialog && close()}},
    h('header', {}, h('strong', {}, figure), button(t('close'), close, {kind: 'quiet'})),
    results.map(result => h('section', {},
      h('h3', {}, label(layoutOf(result.tool)) || result.tool), origin(result),
      h('ul', {}, sources.filter(s => s.result === result).slice(0, 8).map(s => h('li', {}, described(s), ' ', h('code', {class: 'faint'}, pathText(s.path))))))))
  document.body.append(dialog)
  dialog.showModal()
}

const pathText = path => path.map((part, i) => typeof part === 'number' ? `[${part + 1}]` : (i ? '.' : '') + part).join('')

function described({result, path, row, note}) {
  if (note) return t('source.note')
  const fields = path.filter(part => typeof part === 'string'), field = fields.at(-1)
  const layout = layoutOf(result.tool)
  const columns = section => section ? [...section.columns, ...columns(section.lines)] : []
  const column = layout?.figures.find(c => c.field === fields.join('.')) ?? layout?.sections.flatMap(columns).find(c => c.field === field)
  const name = row && (row.name ?? row.counterparty ?? row.supplier ?? row.number)
  return h('span', {}, column ? label(column) : field, name && [' · ', h('bdi', {}, visible(name).slice(0, 120))], row?.warehouse && [' · ', h('bdi', {}, visible(row.warehouse).slice(0, 80))])
}
