// A draft: what will be written, with old and new values, and the button that confirms exactly that.
import {h, hidden, visible} from './dom.js'
import {call} from './api.js'
import {t, label, layoutOf, moment, amount, units, written, current} from './words.js'
import {button, guarded, pill, say} from './parts.js'
import {table} from './table.js'
import {notes} from './result.js'

const layout = () => layoutOf('draft')
export const words = (field, value) => {
  const column = [...layout().figures.flatMap(c => [c, ...c.parts ?? []]), ...layout().tables.flatMap(s => s.columns)].find(c => c.field === field && c.words?.[value])
  return column ? label(column.words[value]) : value
}

export const kindOf = draft => words('kind', draft.kind)
export const stateOf = draft => pill(draft.state, words('state', draft.state))

const party = (draft, role) => draft.parties?.find(p => p.role === role)

// titleOf describes a draft in the page's language. The draft's own summary is in English only.
export function titleOf(draft) {
  const name = role => party(draft, role) && h('bdi', {}, visible(party(draft, role).name))
  return h('span', {}, kindOf(draft), name('supplier') && [' · ', name('supplier')], name('from_warehouse') && [' · ', name('from_warehouse'), ' → ', name('to_warehouse')], name('warehouse') && [' → ', name('warehouse')])
}

// card draws a draft and keeps it up to date, for example when the draft is confirmed in chat. If it is told, which means that
// it comes from an answer, it may have been decided since, so its state is read again.
export function card(draft, {level = 'h2', told} = {}) {
  const place = h('article', {class: 'draft', 'aria-label': draft.code})
  const draw = () => place.replaceChildren(...drawn(draft, place, update, level))
  const update = next => {
    draft = next
    draw()
    window.dispatchEvent(new CustomEvent('kopeck:draft', {detail: {draft: next, by: place}}))
  }
  window.addEventListener('kopeck:draft', ({detail}) => {
    if (detail.draft.id !== draft.id || detail.by === place || !place.isConnected) return
    draft = detail.draft
    draw()
  })
  draw()
  if (draft.state === 'confirmed') settle(draft, update)
  if (draft.state === 'draft' && told) call('GET', '/drafts/' + draft.id).then(now => draft.state === 'draft' && now.state !== 'draft' && update(now), () => { /* the key may not read drafts */ })
  return place
}

function drawn(draft, place, update, level) {
  const {totals} = draft, source = commonSource(draft)
  return [
    h('header', {}, h(level, {}, titleOf(draft)), h('code', {class: 'code'}, draft.code), stateOf(draft)),
    h('dl', {class: 'facts'},
      (draft.parties ?? []).map(p => fact(words('role', p.role), h('bdi', {}, visible(p.name)))),
      totals.units && fact(t('draft.units'), units(totals.units)), totals.money && fact(t('draft.money'), amount(totals.money, totals.currency)),
      source && fact(label(linesOf().columns.find(c => c.field === 'price_source')), words('price_source', source)),
      totals.vat && fact(label(layout().figures.find(f => f.field === 'totals.vat')), words('totals.vat', totals.vat)),
      fact(t('draft.made'), moment(draft.created_at)), draft.state === 'draft' && fact(t('draft.until'), moment(draft.expires_at)),
      draft.confirmed_at && fact(t('draft.confirmed_at'), moment(draft.confirmed_at))),
    draft.lines.length > 0 && lines(draft, level),
    draft.left_out?.length > 0 && leftOut(draft, level),
    h('details', {}, h('summary', {}, t('draft.writes')),
      draft.writes.map(w => h('pre', {tabindex: '0'}, `${w.id ? 'PUT' : 'POST'} entity/${w.kind}${w.id ? '/' + w.id : ''}\n${visible(JSON.stringify(w.body, null, 2))}`)),
      h('p', {class: 'faint'}, t('draft.digest'), ' ', h('code', {class: 'digest'}, draft.digest))),
    draft.state === 'draft' && draft.notes && notes(draft),
    draft.state === 'draft' ? decision(draft, place, update) : outcome(draft), // takes the place of the button
  ].filter(Boolean)
}

const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value))

function outcome(draft) {
  const created = ({name, id}) => [h('p', {}, t('draft.document'), ' ', h('strong', {}, h('bdi', {}, visible(name)))), h('p', {class: 'faint'}, h('code', {}, id))]
  if (draft.document) return h('div', {class: 'outcome good', role: 'status'},
    draft.kind === 'price_change' ? h('p', {}, t('draft.prices')) : created(draft.document), // a price change creates no document
    draft.document.posting === 'not_posted' && h('p', {class: 'warning'}, t('draft.not_posted')),
    draft.document.differences?.length > 0 && h('div', {class: 'warning'}, t('draft.differences'), h('ul', {}, draft.document.differences.map(d => h('li', {}, visible(difference(d)))))))
  if (draft.failure) return h('div', {class: 'outcome bad', role: 'status'}, h('p', {}, t(draft.failure.written ? 'draft.failed.partly' : 'draft.failed.whole')),
    h('p', {}, words('failure.code', draft.failure.code)), details(draft.failure), draft.failure.upstream && h('p', {}, h('q', {}, visible(draft.failure.upstream.text))))
  if (draft.state === 'confirmed') return h('div', {class: 'outcome', role: 'status'}, h('p', {}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), t('draft.creating')))
  return null
}

// difference says in words what is different: a field, or the name of a product and what has become of it.
function difference(text) {
  const at = text.lastIndexOf(': ') + 1
  return at ? text.slice(0, at) + ' ' + words('document.differences', text.slice(at + 1)) : words('document.differences', text)
}

function details({message, message_ru: russian}) {
  const known = current() === 'ru' && russian
  return h('p', {class: 'faint', lang: known ? 'ru' : 'en'}, visible(known || message))
}

const linesOf = () => layout().tables.find(s => s.field === 'lines')

// commonSource returns where all prices of an order are from. It is undefined if they differ; then the lines have a column for it.
function commonSource({kind, lines}) {
  const source = kind === 'price_change' ? undefined : lines[0]?.price_source
  return lines.every(line => line.price_source === source) ? source : undefined
}

function lines(draft, level) {
  const section = linesOf()
  const changes = draft.lines.some(l => 'old_price' in l || draft.kind === 'price_change')
  const shown = c => c.field === 'price_source' && (changes || commonSource(draft)) ? false : c.field === 'old_price' && changes || draft.lines.some(l => (l[c.field] ?? '') !== '')
  const columns = section.columns.filter(shown)
    .map(c => c.field === 'old_price' ? {...c, cell: old, why: () => t('unknown.old')} : c.field === 'price' && changes ? {...c, ...newPrice()} : c)
  columns.sort((a, b) => (a.field === 'price_source') - (b.field === 'price_source')) // last, because the sum matters more
  return table({title: t('draft.lines'), columns, rows: draft.lines, currency: draft.totals.currency, file: 'kopeck-' + draft.code, level: level === 'h2' ? 'h3' : 'h4'})
}

const old = line => line.old_price ? h('del', {}, hidden(t('draft.old') + ' '), written({kind: 'money'}, line.old_price)) : h('span', {class: 'unknown', title: t('unknown.old')}, '—', hidden(t('unknown.old')))
const newPrice = () => ({title: t('draft.new_price'), cell: line => h('ins', {}, hidden(t('draft.new') + ' '), written({kind: 'money'}, line.price))})

function leftOut(draft, level) {
  const section = layout().tables.find(s => s.field === 'left_out')
  return table({title: label(section), columns: section.columns, rows: draft.left_out, level: level === 'h2' ? 'h3' : 'h4'})
}

// decision draws the buttons. Confirming sends the digest of the draft that is drawn above them.
function decision(draft, place, update) {
  const command = (current() === 'ru' ? 'подтверждаю ' : 'confirm ') + draft.code
  const settled = async next => {
    update(next)
    say(words('state', next.state))
    if (next.state === 'confirmed') await settle(next, update)
  }
  const confirm = guarded(async () => settled(await call('POST', `/drafts/${draft.id}/confirm`, {digest: draft.digest})), () => place)
  const cancel = guarded(async () => settled(await call('POST', `/drafts/${draft.id}/cancel`, {})), () => place)
  return h('footer', {class: 'decision'},
    h('p', {}, t('draft.nothing_yet'), ' ', t('draft.words'), ' ', h('code', {class: 'words'}, command)),
    h('div', {class: 'row'}, button(t('draft.confirm', {code: draft.code}), confirm, {kind: 'primary'}), button(t('draft.cancel'), cancel)))
}

// settle polls a confirmed draft until its outcome is known.
async function settle(draft, update) {
  for (let wait = 1000; draft.state === 'confirmed'; wait = Math.min(wait * 1.5, 10_000)) {
    await new Promise(resolve => setTimeout(resolve, wait))
    draft = await call('GET', '/drafts/' + draft.id)
  }
  update(draft)
}

