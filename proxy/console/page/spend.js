// What models have cost the organization, and the limits of its keys.
import {h, visible} from './dom.js'
import {all, call} from './api.js'
import {t, amount, day, unknown, whole} from './words.js'
import {Figure} from './exact.js'
import {button, empty, field, heading, loaded} from './parts.js'
import {columns as plot} from './plot.js'
import {cards} from './result.js'
import {table} from './table.js'
import {limits} from './limits.js'

const groupings = ['day', 'key', 'model', 'day,model', 'key,model']
const groupingsOfAll = ['organization', 'day', 'model', 'day,organization', 'organization,model']
const mostLines = 10_000 // the most lines that a report can have
const counts = ['requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens', 'failed', 'fallbacks', 'estimated', 'uncounted', 'unpriced']

const dayOf = date => date.toISOString().slice(0, 10) // in UTC, like the spend
const daysBefore = (date, n) => new Date(date.getTime() - n * 86_400_000)

export async function spend(place) {
  const caller = await call('GET', '/caller'), organization = `/organizations/${caller.organization.id}`
  const today = new Date()
  const from = h('input', {type: 'date', required: true, value: dayOf(daysBefore(today, 29))}), to = h('input', {type: 'date', required: true, value: dayOf(today)})
  const by = h('select'), whose = h('select', {}, h('option', {value: organization}, visible(caller.organization.name)), h('option', {value: ''}, t('spend.all')))
  const offer = () => by.replaceChildren(...(whose.value ? groupings : groupingsOfAll).map(name => h('option', {value: name}, t('spend.by.' + name))))
  offer()
  const out = h('div', {class: 'report'}), bounded = h('section', {class: 'report'})
  const read = async grouping => (await all(`${whose.value}/spend?from=${from.value}&to=${to.value}&group_by=${grouping}`, mostLines)).rows
  const run = () => loaded(out, async () => ({days: await read('day'), lines: await read(by.value), names: await named(whose.value ? organization + '/api-keys' : '/organizations')}),
    found => found.days.length ? draw(found, from.value, to.value, by.value) : empty(t('spend.none')))
  const form = h('form', {class: 'controls', on: {submit: event => { event.preventDefault(); run() }}},
    field(t('from'), from), field(t('to'), to), caller.operator && field(t('spend.whose'), whose), field(t('spend.by'), by), h('button', {type: 'submit', class: 'button primary'}, t('show')))
  const again = () => form.reportValidity() && run()
  by.addEventListener('change', again)
  whose.addEventListener('change', () => { offer(); again() })
  place.append(heading(t('nav.spend'), button(t('refresh'), run, {sign: 'refresh', kind: 'quiet'})), h('p', {class: 'lead'}, t('spend.lead')), form, out, bounded)
  await run()
  return limits(bounded, organization)
}

// named returns the names of the things in a list by id.
async function named(path) {
  const {rows} = await all(path)
  return new Map(rows.map(row => [row.id, visible(row.name)]))
}

function draw({days, lines, names}, from, to, grouping) {
  const currencies = [...new Set(days.flatMap(line => Object.keys(line.money)))].sort()
  const sum = name => days.reduce((total, line) => total + line[name].number, 0)
  const unpriced = sum('unpriced')
  const facts = [...currencies.map(currency => [t('spend.money'), amount(total(days, currency), currency)]),
    ...['requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens', 'failed'].map(name => [t('spend.' + name), whole(sum(name))])]
  const notes = [['unpriced', unpriced], ['uncounted', sum('uncounted')], ['estimated', sum('estimated')]].filter(([, n]) => n > 0)
  return [cards(facts),
    notes.length > 0 && h('ul', {class: 'notes', 'aria-label': t('notes')}, notes.map(([name, n]) => h('li', {class: 'warning'}, t('spend.note.' + name, {n: whole(n)})))),
    pictures(days, currencies, from, to), listed(lines, currencies, names, grouping)]
}

// pictures draws a chart for each currency. If no price is known, it draws the number of requests.
function pictures(days, currencies, from, to) {
  const byDay = new Map(days.map(line => [line.day, line]))
  const span = []
  for (let at = new Date(from); dayOf(at) <= to; at = daysBefore(at, -1)) span.push(dayOf(at))
  const picture = (title, value, write) => plot({title, bars: span.map(name => ({name: day(name), value: byDay.has(name) ? value(byDay.get(name)) : new Figure('0')})), write})
  if (!currencies.length) return [picture(t('spend.plot.requests'), line => line.requests, figure => whole(figure.text))]
  return currencies.map(currency => picture(t('spend.plot', {currency}), line => moneyOf(line, currency), figure => amount(figure, currency)))
}

// moneyOf returns the cost of a line in a currency. If none of its requests has a price, the cost is unknown and not 0.
function moneyOf(line, currency) {
  if (line.money[currency] !== undefined) return new Figure(line.money[currency])
  return line.unpriced.number > 0 ? null : new Figure('0')
}

// total adds decimals without rounding.
function total(lines, currency) {
  const texts = lines.map(line => line.money[currency] ?? '0'), decimals = 12
  const parts = text => { const [units, rest = ''] = text.split('.'); return BigInt(units + rest.padEnd(decimals, '0')) }
  const digits = texts.reduce((sum, text) => sum + parts(text), 0n).toString().padStart(decimals + 1, '0')
  return new Figure(digits.slice(0, -decimals) + '.' + digits.slice(-decimals))
}

function listed(lines, currencies, names, grouping) {
  const name = id => names.get(id) ?? id
  const groups = {
    day: {field: 'day', kind: 'text', title: t('spend.day'), width: 9, by: line => line.day, text: line => day(line.day), cell: line => day(line.day)},
    key: {field: 'key_id', kind: 'text', title: t('spend.key'), width: 14, text: line => name(line.key_id), cell: line => h('bdi', {}, name(line.key_id))},
    organization: {field: 'organization_id', kind: 'text', title: t('spend.organization'), width: 14, text: line => name(line.organization_id), cell: line => h('bdi', {}, name(line.organization_id))},
    model: {field: 'model', kind: 'text', title: t('spend.model'), width: 16},
  }
  const money = currencies.map(currency => ({field: currency, kind: 'money', title: `${t('spend.money')}, ${currency}`, cell: line => line[currency] ? amount(line[currency]) : unknown(t('spend.unpriced.why'))}))
  const rows = lines.map(line => ({...line, ...Object.fromEntries(currencies.map(currency => [currency, moneyOf(line, currency)]))}))
  return table({title: t('spend.by.' + grouping), rows, file: 'kopeck-spend', columns: [...grouping.split(',').map(name => groups[name]), ...money,
    ...counts.filter(name => name === 'requests' || rows.some(row => row[name].number > 0)).map(name => ({field: name, kind: 'count', title: t('spend.' + name)}))]})
}
