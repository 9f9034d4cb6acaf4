// The pages for webhooks and their deliveries, and for digests, which are questions that are answered on a schedule.
import {h, visible} from './dom.js'
import {all, call, once} from './api.js'
import {t, said, moment, current} from './words.js'
import {button, connections, copier, empty, field, guarded, heading, loaded, pill, sure} from './parts.js'
import {table} from './table.js'

const kinds = ['draft.made', 'draft.confirmed', 'draft.created', 'draft.failed', 'connection.failing', 'digest.answered', 'digest.failed', 'audit.head']
const kind = event => kinds.includes(event) ? t('event.' + event) : event
const when = (at, none) => at ? h('time', {datetime: at}, moment(at)) : h('span', {class: 'faint'}, none)
const usual = ['0 9 * * 1-5', '0 9 * * *', '0 9 * * 1', '0 9 1 * *'] // schedules that have a name
const schedule = cron => said('digests.when.' + cron) ? t('digests.when.' + cron) : h('code', {}, visible(cron))
const facts = list => h('dl', {class: 'facts'}, list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))

export async function events(place, id) {
  const out = h('div')
  if (id) {
    place.append(heading(t('webhooks.sent')), h('p', {}, h('a', {href: '#/events'}, t('webhooks.back'))), out)
    return deliveries(out, id)
  }
  place.append(heading(t('nav.events')), h('p', {class: 'lead'}, t('events.lead')), out)
  const read = made => loaded(out, () => Promise.all([call('GET', '/webhooks'), call('GET', '/digests'), connections()]), ([hooks, asked, accounts]) => [
    h('section', {class: 'column'}, h('h2', {}, t('webhooks')), made && secret(made),
      hooks.data.length ? h('ul', {class: 'cards'}, hooks.data.map(w => webhook(w, read))) : empty(t('webhooks.none')), newWebhook(read)),
    h('section', {class: 'column'}, h('h2', {}, t('digests')),
      asked.data.length ? h('ul', {class: 'cards'}, asked.data.map(d => digest(d, read))) : empty(t('digests.none')), newDigest(accounts.data, read)),
  ])
  return read()
}

const secret = made => h('div', {class: 'card secret', role: 'status'}, h('h3', {}, t('webhooks.secret')), h('p', {}, t('webhooks.secret.once')),
  h('code', {class: 'secret-text'}, made.secret), h('div', {class: 'row'}, copier(made.secret)))

function webhook(w, read) {
  const out = h('li', {class: 'card'})
  const test = guarded(async () => { await call('POST', `/webhooks/${w.id}/test`, {}); location.hash = '#/events/' + w.id }, () => out)
  const remove = guarded(async () => {
    if (!await sure(t('webhooks.delete.sure', {url: visible(w.url)}), t('webhooks.delete'))) return
    await call('DELETE', '/webhooks/' + w.id)
    read()
  }, () => out)
  const state = w.disabled_at ? 'failing' : 'verified'
  out.append(h('header', {}, h('h3', {}, h('bdi', {}, visible(w.url))), pill(state, t(w.disabled_at ? 'webhooks.gone' : 'webhooks.live'))),
    h('ul', {class: 'rights', 'aria-label': t('webhooks.events')}, w.events.map(event => h('li', {}, kind(event)))),
    h('div', {class: 'row'}, h('a', {class: 'button', href: '#/events/' + w.id}, t('webhooks.sent')), button(t('webhooks.test'), test),
      button(t('webhooks.delete'), remove, {kind: 'danger quiet', 'aria-label': `${t('webhooks.delete')}: ${visible(w.url)}`})))
  return out
}

function newWebhook(read) {
  const url = h('input', {type: 'url', required: true, maxlength: 2000, autocomplete: 'off', placeholder: 'https://'})
  const boxes = kinds.map(event => h('input', {type: 'checkbox', value: event, checked: event !== 'audit.head'})) // an hourly message that only auditors need
  const form = h('form', {class: 'card form', on: {submit: event => event.preventDefault()}}, h('h3', {}, t('webhooks.add')), field(t('webhooks.url'), url, t('webhooks.url.hint')),
    h('fieldset', {}, h('legend', {}, t('webhooks.events')), kinds.map((event, i) => h('label', {class: 'check'}, boxes[i], h('span', {}, kind(event))))))
  const add = guarded(async () => {
    if (form.reportValidity()) read(await call('POST', '/webhooks', {url: url.value.trim(), events: boxes.filter(b => b.checked).map(b => b.value)}, {once: once()}))
  }, () => form)
  form.append(h('div', {class: 'row'}, button(t('webhooks.make'), add, {kind: 'primary', type: 'submit'})))
  return form
}

function deliveries(out, id) {
  const path = `/webhooks/${encodeURIComponent(id)}/deliveries`
  const replay = d => guarded(async () => { await call('POST', `${path}/${d.id}/replay`, {}); read() }, () => out)
  const russian = d => current() === 'ru' && d.last_problem_ru
  const came = d => russian(d) || (d.last_problem ?? (d.last_status ? String(d.last_status) : ''))
  const read = () => loaded(out, () => all(path), ({rows}) => [h('div', {class: 'row'}, button(t('refresh'), read, {sign: 'refresh'})), rows.length ? table({title: t('webhooks.sent'), rows, columns: [
    {field: 'event', kind: 'text', title: t('webhooks.event'), width: 14, text: d => kind(d.event), cell: d => kind(d.event)},
    {field: 'state', kind: 'text', title: t('state'), width: 9, text: d => t('delivery.' + d.state), cell: d => pill({pending: 'confirmed', delivered: 'created'}[d.state] ?? d.state, t('delivery.' + d.state))},
    {field: 'id', kind: 'text', title: t('action'), width: 10, text: () => '', cell: d => button(t('webhooks.replay'), replay(d), {kind: 'quiet', 'aria-label': `${t('webhooks.replay')}: ${d.id}`})},
    {field: 'attempts', kind: 'count', title: t('webhooks.attempts')},
    {field: 'last_problem', kind: 'text', title: t('webhooks.came'), width: 18, text: came, cell: d => h('span', {lang: russian(d) ? 'ru' : 'en'}, visible(came(d)))},
    {field: 'created_at', kind: 'text', title: t('webhooks.at'), width: 13, text: d => moment(d.created_at), cell: d => when(d.created_at)},
    {field: 'next_attempt_at', kind: 'text', title: t('webhooks.next'), width: 13, text: d => d.next_attempt_at ? moment(d.next_attempt_at) : '', cell: d => when(d.next_attempt_at, '—')},
  ]}) : empty(t('webhooks.sent.none'))])
  return read()
}

function digest(d, read) {
  const out = h('li', {class: 'card'})
  const ask = guarded(async () => { await call('POST', `/digests/${d.id}/ask`, {}); read() }, () => out)
  const remove = guarded(async () => {
    if (!await sure(t('digests.delete.sure'), t('digests.delete'))) return
    await call('DELETE', '/digests/' + d.id)
    read()
  }, () => out)
  out.append(h('header', {}, h('h3', {}, h('bdi', {}, visible(d.question)))),
    facts([[t('digests.when'), [schedule(d.cron), ', ', visible(d.time_zone)]], [t('digests.next'), when(d.next_at, t('digests.stopped'))],
      [t('digests.last'), d.last_session_id ? h('a', {href: '#/sessions/' + d.last_session_id}, moment(d.last_at)) : when(d.last_at, t('digests.never'))]]),
    d.last_problem ? h('p', {class: 'problem-head'}, visible(d.last_problem)) : '',
    h('div', {class: 'row'}, button(t('digests.ask'), ask), button(t('digests.delete'), remove, {kind: 'danger quiet', 'aria-label': `${t('digests.delete')}: ${visible(d.question)}`})))
  return out
}

function newDigest(accounts, read) {
  const question = h('input', {required: true, maxlength: 2000, placeholder: t('digests.question.example')}), cron = h('input', {name: 'cron', required: true, value: usual[0], autocomplete: 'off'})
  const exact = field(t('digests.cron'), cron, t('digests.cron.hint'))
  exact.hidden = true
  const often = h('select', {on: {change: () => {
    exact.hidden = often.value !== ''
    cron.value = often.value || cron.value
  }}}, usual.map(cron => h('option', {value: cron}, schedule(cron))), h('option', {value: ''}, t('digests.when.other')))
  const zone = h('input', {required: true, value: 'Europe/Moscow', autocomplete: 'off'})
  const about = h('select', {}, h('option', {value: ''}, t('digests.only')), accounts.map(c => h('option', {value: c.id}, visible(c.name))))
  const form = h('form', {class: 'card form', on: {submit: event => event.preventDefault()}}, h('h3', {}, t('digests.add')), field(t('digests.question'), question),
    field(t('digests.when'), often), exact, field(t('digests.zone'), zone), accounts.length > 1 && field(t('account'), about))
  const add = guarded(async () => {
    if (!form.reportValidity()) return
    await call('POST', '/digests', {question: question.value.trim(), cron: cron.value.trim(), time_zone: zone.value.trim(), connection_id: about.value}, {once: once()})
    read()
  }, () => form)
  form.append(h('div', {class: 'row'}, button(t('digests.make'), add, {kind: 'primary', type: 'submit'})))
  return form
}
