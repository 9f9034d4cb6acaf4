// The pages of the organization's lists: drafts, connections, keys, sessions and the audit.
import {h, visible} from './dom.js'
import {all, call, forget, once} from './api.js'
import {Figure} from './exact.js'
import {t, said, moment, day, whole, written} from './words.js'
import {button, connections as readConnections, copier, empty, field, guarded, heading, loaded, pill, sure} from './parts.js'
import {table} from './table.js'
import {card, stateOf, titleOf, words} from './draft.js'
import {replay} from './ask.js'
import {tab} from './tab.js'

const column = (field, title, more) => ({field, kind: 'text', title, ...more})
const date = (field, title, more) => column(field, title, {width: 13, text: row => moment(row[field]), exported: row => row[field] ?? '', cell: row => row[field] ? h('time', {datetime: row[field]}, moment(row[field])) : h('span', {class: 'faint'}, t('never')), ...more})
const mono = (field, title, width) => column(field, title, {width, cell: row => h('code', {}, visible(row[field]))})

export function drafts(place, id) {
  if (id) {
    place.append(heading(t('nav.drafts')), h('p', {}, h('a', {href: '#/drafts'}, t('drafts.back'))))
    const out = h('div')
    place.append(out)
    return loaded(out, () => call('GET', '/drafts/' + encodeURIComponent(id)), draft => card(draft))
  }
  const out = h('div')
  place.append(heading(t('nav.drafts')), h('p', {class: 'lead'}, t('drafts.lead')), out)
  return loaded(out, () => all('/drafts'), ({rows}) => rows.length ? table({title: t('nav.drafts'), rows, columns: [
    column('code', t('drafts.code'), {width: 7, cell: d => h('a', {href: '#/drafts/' + d.id}, h('code', {}, d.code))}),
    column('state', t('state'), {width: 12, text: d => words('state', d.state), cell: stateOf}),
    column('summary', t('drafts.what'), {width: 15, text: d => titleOf(d).textContent, cell: titleOf}),
    column('lines', t('draft.lines'), {kind: 'count', by: d => d.totals.lines, cell: d => whole(d.totals.lines)}),
    column('money', t('draft.money'), {kind: 'money', currency: 'currency', by: d => d.totals.money, cell: d => d.totals.money ? written({kind: 'money', currency: 'currency'}, d.totals.money, d.totals) : h('span', {class: 'faint', title: t('drafts.no_money')}, '—')}),
    date('created_at', t('draft.made')), date('expires_at', t('draft.until')),
  ]}) : empty(t('drafts.none'), h('p', {}, h('a', {href: '#/minimums'}, t('nav.minimums')), ' · ', h('a', {href: '#/ask'}, t('nav.ask')))))
}

export function connections(place) {
  const out = h('div')
  const name = h('input', {required: true, maxlength: 200, autocomplete: 'off'}), token = h('input', {type: 'password', required: true, maxlength: 4096, autocomplete: 'off'})
  const form = h('form', {class: 'card form'}, h('h2', {}, t('connections.add')), field(t('connections.name'), name, t('connections.name.hint')), field(t('connections.token'), token, t('connections.token.hint')))
  const add = guarded(async () => {
    if (!form.reportValidity()) return
    await call('POST', '/connections', {connector: 'moysklad', name: name.value.trim(), token: token.value.trim()}, {once: once()})
    form.reset()
    changed()
  }, () => form)
  form.append(h('div', {class: 'row'}, button(t('connections.connect'), add, {kind: 'primary', type: 'submit'})))
  form.addEventListener('submit', event => event.preventDefault())
  const changed = () => { forget(); window.dispatchEvent(new Event('kopeck:account')); read() }
  const read = () => loaded(out, readConnections, page => page.data.length ? h('ul', {class: 'cards'}, page.data.map(c => connection(c, changed))) : empty(t('connections.none')))
  place.append(heading(t('nav.connections')), h('p', {class: 'lead'}, t('connections.lead')), out, form)
  return read()
}

function connection(c, changed) {
  const out = h('li', {class: 'card'})
  const verify = guarded(async () => { await call('POST', `/connections/${c.id}/verify`, {}); changed() }, () => out)
  const remove = guarded(async () => {
    if (!await sure(t('connections.delete.sure', {name: visible(c.name)}), t('connections.delete'))) return
    await call('DELETE', '/connections/' + c.id)
    if (tab.connection.get() === c.id) tab.connection.set(null)
    changed()
  }, () => out)
  out.append(h('header', {}, h('h2', {}, h('bdi', {}, visible(c.name))), pill(c.state, t('connection.' + c.state))),
    h('dl', {class: 'facts'}, [[t('connections.account'), h('bdi', {}, visible(c.account_name))], [t('connections.account_id'), h('code', {}, c.account_id)], [t('connections.verified_at'), moment(c.verified_at)]]
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    h('ul', {class: 'rights', 'aria-label': t('connections.rights')}, Object.entries(c.permissions).map(([right, may]) => h('li', {class: may ? 'yes' : 'no'}, t('right.' + right), ': ', t(may ? 'yes' : 'no')))),
    h('div', {class: 'row'}, button(t('connections.verify'), verify), button(t('connections.delete'), remove, {kind: 'danger quiet'})))
  return out
}

const scopes = ['read:tools', 'read:data', 'write:tools', 'chat', 'connector:gateway', 'admin']

export async function keys(place) {
  const out = h('div'), secret = h('div', {'aria-live': 'polite'})
  let path
  const name = h('input', {required: true, maxlength: 200, autocomplete: 'off'}), days = h('input', {type: 'number', min: 1, max: 365, value: 90, required: true})
  const boxes = scopes.map(scope => h('input', {type: 'checkbox', value: scope, checked: scope.startsWith('read')}))
  const form = h('form', {class: 'card form', on: {submit: event => event.preventDefault()}}, h('h2', {}, t('keys.add')), field(t('keys.name'), name), field(t('keys.days'), days),
    h('fieldset', {}, h('legend', {}, t('keys.scopes')), scopes.map((scope, i) => h('label', {class: 'check'}, boxes[i], h('span', {}, h('code', {}, scope), ' ', h('small', {}, t('scope.' + scope)))))))
  const add = guarded(async () => {
    if (!form.reportValidity()) return
    show(await call('POST', path, {name: name.value.trim(), scopes: boxes.filter(b => b.checked).map(b => b.value), expires_in_days: Number(days.value)}, {once: once()}))
    form.reset()
  }, () => form)
  form.append(h('div', {class: 'row'}, button(t('keys.make'), add, {kind: 'primary', type: 'submit'})))
  const show = made => {
    secret.replaceChildren(h('div', {class: 'card secret'}, h('h2', {}, t('keys.secret', {name: visible(made.name)})), h('p', {}, t('keys.secret.once')), h('code', {class: 'secret-text'}, made.secret), h('div', {class: 'row'}, copier(made.secret))))
    secret.scrollIntoView({block: 'nearest'})
    read()
  }
  const rotate = k => guarded(async () => show(await call('POST', `${path}/${k.id}/rotate`, {overlap_seconds: 86_400}, {once: once()})), () => out)
  const revoke = k => guarded(async () => {
    if (!await sure(t('keys.revoke.sure', {name: visible(k.name)}), t('keys.revoke'))) return
    await call('DELETE', `${path}/${k.id}`)
    read()
  }, () => out)
  const actions = k => k.state === 'active' ? h('div', {class: 'row tight'}, button(t('keys.rotate'), rotate(k), {kind: 'quiet', title: t('keys.rotate.hint'), 'aria-label': `${t('keys.rotate')}: ${visible(k.name)}`}), button(t('keys.revoke'), revoke(k), {kind: 'danger quiet', 'aria-label': `${t('keys.revoke')}: ${visible(k.name)}`})) : ''
  const read = () => loaded(out, async () => {
    path ??= `/organizations/${(await call('GET', '/caller')).organization.id}/api-keys`
    return all(path)
  }, ({rows}) => table({title: t('nav.keys'), rows, columns: [
    column('name', t('keys.name'), {width: 10}), column('state', t('state'), {width: 8, text: k => t('key.' + k.state), cell: k => pill(k.state, t('key.' + k.state))}),
    column('id', t('action'), {width: 13, text: () => '', cell: actions}), mono('prefix', t('keys.prefix'), 8), column('scopes', t('keys.scopes'), {width: 9}),
    date('expires_at', t('keys.expires'), {width: 9.5, text: k => day(k.expires_at), cell: k => h('time', {datetime: k.expires_at}, day(k.expires_at))}), date('last_used_at', t('keys.used')),
  ]}))
  place.append(heading(t('nav.keys')), h('p', {class: 'lead'}, t('keys.lead')), secret, out, form)
  return read()
}

export function sessions(place, id) {
  const out = h('div')
  if (id) {
    place.append(heading(t('nav.sessions')), h('p', {}, h('a', {href: '#/sessions'}, t('sessions.back')), ' · ', h('a', {href: '#/ask/' + id}, t('sessions.go_on'))), out)
    return loaded(out, () => all(`/sessions/${encodeURIComponent(id)}/messages`), list => h('div', {class: 'record'}, replay(list.rows)))
  }
  place.append(heading(t('nav.sessions')), h('p', {class: 'lead'}, t('sessions.lead')), out)
  const remove = s => guarded(async () => {
    if (!await sure(t('sessions.delete.sure'), t('sessions.delete'))) return
    await call('DELETE', '/sessions/' + s.id)
    read()
  }, () => out)
  const read = () => loaded(out, () => all('/sessions'), ({rows}) => rows.length ? table({title: t('nav.sessions'), rows, columns: [
    column('title', t('sessions.title'), {width: 26, cell: s => h('a', {href: '#/sessions/' + s.id}, h('bdi', {}, visible(s.title) || t('sessions.untitled')))}),
    column('message_count', t('sessions.messages'), {kind: 'count'}), column('pending_drafts', t('sessions.drafts'), {kind: 'count'}), date('updated_at', t('sessions.updated')),
    column('id', t('action'), {width: 9, text: () => '', cell: s => button(t('sessions.delete'), remove(s), {kind: 'danger quiet', 'aria-label': `${t('sessions.delete')}: ${visible(s.title)}`})}),
  ]}) : empty(t('sessions.none'), h('p', {}, h('a', {href: '#/ask'}, t('nav.ask')))))
  return read()
}

export function audit(place) {
  const out = h('div')
  place.append(heading(t('nav.audit')), h('p', {class: 'lead'}, t('audit.lead')), out)
  const action = r => said('audit.' + r.action) ? t('audit.' + r.action) : r.action
  const details = r => visible(listed(r.details ?? {}))
  return loaded(out, async () => all(`/organizations/${(await call('GET', '/caller')).organization.id}/audit`), ({rows, more}) => [table({title: t('nav.audit'), rows, file: 'kopeck-audit', note: more ? t('audit.more') : null, columns: [
    date('at', t('audit.at')), column('action', t('audit.action'), {width: 12, text: action, cell: action}), ...whoAndWhat(rows),
    column('details', t('audit.details'), {width: 18, text: details, cell: r => h('span', {class: 'faint', title: details(r).slice(0, 300)}, details(r))}),
  ]})])
}

const named = ['name', 'code'] // the details of a record that name its object
const last = ['digest', 'sync_id'] // of interest only to operators

// listed writes the details of a record in words. What is not set is left out.
function listed(details) {
  const title = name => t(['audit.detail.', 'right.', 'limits.'].map(prefix => prefix + name).find(said) ?? name)
  const plain = (name, value) => {
    if (name === 'kind') return words('kind', value)
    if (name === 'failure') return words('failure.code', value)
    if (name === 'events') return value.map(event => t('event.' + event)).join(', ')
    if (name === 'expires_at') return day(value)
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (Array.isArray(value)) return value.join(', ')
    return typeof value === 'object' && !(value instanceof Figure) ? listed(value) : String(value)
  }
  const set = Object.entries(details).filter(([name, value]) => !named.includes(name) && value !== null && value !== '')
  return set.sort(([a], [b]) => last.includes(a) - last.includes(b)).map(([name, value]) => `${title(name)}: ${plain(name, value)}`).join(' · ')
}

// whoAndWhat returns the audit's columns of keys and objects. They show the names that records give to ids, and the id where
// no record does. Exports have both.
function whoAndWhat(rows) {
  const names = new Map(rows.flatMap(r => named.filter(k => r.details?.[k]).map(k => [r.object, visible(r.details[k])])))
  const name = id => said('audit.by.' + id) ? t('audit.by.' + id) : names.get(id)
  const shown = id => name(id) ? h('bdi', {title: id}, name(id)) : h('code', {}, visible(id))
  const one = (field, title, cell) => column(field, title, {width: 11, text: r => names.has(r[field]) ? `${names.get(r[field])} (${r[field]})` : name(r[field]) ?? r[field], cell})
  return [one('actor', t('audit.actor'), r => shown(r.actor)),
    one('object', t('audit.object'), r => r.action.startsWith('draft.') ? h('a', {href: '#/drafts/' + r.object}, shown(r.object)) : shown(r.object))]
}
