// The texts of the page in both languages, and the formats of figures and times. The labels of results and the texts of
// notes come from the service (words.json), so that tables and answers use the same words.
import {tab} from './tab.js'
import {Figure, parse} from './exact.js'
import {h, hidden, visible} from './dom.js'

export const languages = {en: 'English', ru: 'Русский'}

let language = 'en', catalogue = {}, results = {layouts: {}, notes: {}, numbers: [], arguments: {}, footnotes: []}
let two, six, plain, share, collator

export const current = () => language

// speak loads a language and makes it the page's language.
export async function speak(wanted) {
  const get = async name => (await fetch('/console/' + name)).json()
  const [said, shared] = await Promise.all([get(wanted + '.json'), results.loaded ? results : get('words.json')])
  language = wanted
  catalogue = said
  results = {...shared, loaded: true}
  const locale = {ru: 'ru-RU', en: 'en-GB'}[wanted]
  two = new Intl.NumberFormat(locale, {minimumFractionDigits: 2, maximumFractionDigits: 2})
  six = new Intl.NumberFormat(locale, {minimumFractionDigits: 2, maximumFractionDigits: 6})
  plain = new Intl.NumberFormat(locale, {maximumFractionDigits: 10})
  share = new Intl.NumberFormat(locale, {maximumFractionDigits: 2})
  collator = new Intl.Collator(locale, {numeric: true})
  document.documentElement.lang = wanted
  tab.language.set(wanted)
}

// preferred returns the language that was chosen before, or the browser's.
export const preferred = () => {
  const chosen = tab.language.get()
  if (chosen in languages) return chosen
  return navigator.languages.some(l => /^(ru|be|kk|uk)/.test(l)) ? 'ru' : 'en'
}

// t returns a text of the catalogue with {names} replaced.
export function t(key, values = {}) {
  return (catalogue[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

export const said = key => key in catalogue

// label returns a heading: a title of the page, or the label of a column, table or result of the service. For a text in both
// languages, it returns the text.
export const label = l => l?.title ?? (l?.label ?? l)?.[language] ?? ''

// footnotes returns the first words of what the service adds below an answer, in both languages.
export const footnotes = () => results.footnotes.flatMap(Object.values)

// layoutOf returns the layout of a tool's result. All drafts have the same.
export const layoutOf = tool => results.layouts[/^draft_/.test(tool) ? 'draft' : tool]

// reportNames returns the tools that report on the books.
export const reportNames = () => Object.keys(results.layouts).filter(tool => !['draft', 'calculate'].includes(tool))

// argumentOf returns the column of the result that has an argument of the tool, or only the argument's name for people.
export const argumentOf = (tool, name) => layoutOf(tool)?.figures.find(c => c.field === name) ?? {label: results.arguments[name] ?? {ru: name, en: name}}

// noteText returns the text of a note, made from its code and values. For an unknown code it returns the service's English
// text.
export function noteText(note) {
  for (const phrase of results.notes[note.code] ?? []) {
    let complete = true
    const text = phrase[language].replace(/\{(\w+)\}/g, (_, name) => {
      const value = note.values?.[name]
      complete &&= value !== undefined
      if (name === 'as_of' && complete) return moment(value.replace(' MSK', '+0300'))
      if (name === 'day' && complete) return day(value + 'T12:00+03:00')
      return results.numbers.includes(name) ? dressed(value) : visible(value)
    })
    if (complete) return text
  }
  return visible(note.text)
}

// dressed formats the numbers, amounts and currencies in a value of a note, as answers do.
const dressed = value => String(value).replace(/(-?\d+(?:\.\d+)?)(?: ([A-Z]{3})\b)?|\b[A-Z]{3}\b/g, (found, number, currency) =>
  number === undefined ? sign(found) : currency ? amount(new Figure(number), currency) : units(new Figure(number)))

const signs = {RUB: '₽', USD: '$', EUR: '€', KZT: '₸', UAH: '₴', BYN: 'Br', CNY: '¥', TRY: '₺'}

export const sign = currency => language === 'en' ? currency : signs[currency] ?? currency

export const compare = (a, b) => collator.compare(a, b)

// money and units format a figure for the language. They pass the decimal text to Intl, so no digit is lost. Prices of units,
// and what models cost, have more than two decimals.
export const money = figure => minus(six.format(figure.text))
export const units = figure => minus(plain.format(figure.text))
export const amount = (figure, currency) => priced(money(figure), currency)
// priced adds the currency where the language puts it, as answers do.
const priced = (text, currency) => (!currency ? [text] : language === 'en' ? [currency, text] : [text, sign(currency)]).join('\u00a0')
export const percent = figure => minus(share.format(figure.text)) + (language === 'ru' ? '\u00a0%' : '%')
export const whole = n => minus(plain.format(n))

const minus = text => text.replace(/^-/, '\u2212')

const zone = 'Europe/Moscow' // the time zone of the books

// moment formats a time of the service, day a day of the books.
export function moment(text) {
  return text ? dated(text, {hour: '2-digit', minute: '2-digit'}) : '—'
}

export const day = text => dated(text)

// dated leaves out the Russian word for year, as answers do.
const dated = (text, time) => new Intl.DateTimeFormat({ru: 'ru-RU', en: 'en-GB'}[language], {day: 'numeric', month: 'short', year: 'numeric', ...time, timeZone: zone})
  .format(new Date(text)).replace(/\sг\./, '')

// unknown replaces a figure and gives the reason; an unknown figure is never 0.
export const unknown = why => h('span', {class: 'unknown', title: why ?? t('unknown.value')}, '—', hidden(' ' + (why ?? t('unknown.value'))))

// written returns a column's value as text, or null if it is unknown.
export function written(column, value, row, currency) {
  if (value instanceof Figure) {
    if (column.kind === 'money') return column.currency ? amount(value, row[column.currency] ?? '') : money(value)
    return column.kind === 'percent' ? percent(value) : units(value)
  }
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value === 'string' && value !== '') {
    if (column.kind === 'day' || column.kind === 'moment') return day(value)
    return column.words?.[value] ? label(column.words[value]) : visible(value)
  }
  if (Array.isArray(value) && !value.length) return t('none') // it is known that there are none
  if (Array.isArray(value)) return value.map(item => column.parts ? column.parts.map(part => written(part, item[part.field], item, currency) ?? '—').join(': ') : written(column, item, row, currency) ?? '—').join(', ')
  if ((value === null || value === '') && column.missing) return label(column.missing)
  return null
}

// conditions returns what a report was asked for: the names and values of its arguments, without those that do not narrow
// the books.
export function conditions(result) {
  const given = Object.entries(parse(JSON.stringify(result.arguments ?? {})))
  return given.filter(([name, value]) => value !== null && !['limit', 'group_by'].includes(name)).flatMap(([name, value]) => {
    const column = argumentOf(result.tool, name), text = written(column, value, {}, result.currency)
    return text === null ? [] : [[visible(label(column)), text]]
  })
}
