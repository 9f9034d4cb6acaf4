// The page: signing in, navigation, and what all views have in common.
import {h, icon, visible} from './dom.js'
import {call, forget} from './api.js'
import {t, speak, preferred, languages, current} from './words.js'
import {button, connections, problem, loading, field} from './parts.js'
import {tab} from './tab.js'

const app = document.getElementById('app')

// Each view is a function of a module, which is loaded when the view is first opened.
const pages = {
  ask: [() => import('./ask.js'), 'ask'],
  stock: [() => import('./reports.js'), 'stock'],
  minimums: [() => import('./reports.js'), 'minimums'],
  dead: [() => import('./reports.js'), 'dead'],
  margin: [() => import('./reports.js'), 'margin'],
  cash: [() => import('./reports.js'), 'cash'],
  reports: [() => import('./reports.js'), 'reports'],
  drafts: [() => import('./lists.js'), 'drafts'],
  connections: [() => import('./lists.js'), 'connections'],
  keys: [() => import('./lists.js'), 'keys'],
  spend: [() => import('./spend.js'), 'spend'],
  sessions: [() => import('./lists.js'), 'sessions'],
  events: [() => import('./events.js'), 'events'],
  audit: [() => import('./lists.js'), 'audit'],
}
const groups = [['ask'], ['stock', 'minimums', 'dead', 'margin', 'cash', 'reports'], ['drafts'], ['connections', 'keys', 'spend', 'sessions', 'events', 'audit']]

let caller = null, shown = null

function theme(choice) {
  if (choice === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
  tab.theme.set(choice)
  window.dispatchEvent(new Event('kopeck:theme'))
}

function taste() {
  const chosen = document.documentElement.dataset.theme ?? 'auto'
  return h('div', {class: 'taste'},
    h('div', {class: 'switch', role: 'group', 'aria-label': t('language')}, Object.entries(languages).map(([code, name]) =>
      h('button', {type: 'button', lang: code, 'aria-pressed': String(code === current()), title: name, on: {click: async () => { await speak(code); start() }}}, code.toUpperCase()))),
    h('label', {}, h('span', {class: 'spoken'}, t('theme')), h('select', {on: {change: event => theme(event.target.value)}}, ['auto', 'light', 'dark'].map(name => h('option', {value: name, selected: name === chosen}, t('theme.' + name))))))
}

const brand = () => h('p', {class: 'brand'}, h('span', {class: 'coin', 'aria-hidden': 'true'}), 'Kopeck')

// start shows the sign-in form if there is no key, and otherwise the view in the address.
async function start(refusal) {
  document.title = 'Kopeck'
  if (!tab.key.get()) return signIn(refusal)
  if (!caller) {
    app.replaceChildren(h('main', {class: 'sign-in'}, brand(), loading()))
    try {
      caller = await call('GET', '/caller')
    } catch (error) {
      if (error.status === 401) return
      return app.replaceChildren(h('main', {class: 'sign-in'}, brand(), problem(error, () => start())))
    }
  }
  if (!caller.organization) return chooseOrganization()
  frame()
  go()
}

function signIn(refusal) {
  const key = h('input', {type: 'password', name: 'key', required: true, autocomplete: 'off', spellcheck: 'false', placeholder: 'sk-org-…', 'aria-describedby': 'kept'})
  const form = h('form', {class: 'card', on: {submit: event => {
    event.preventDefault()
    tab.key.set(key.value.trim())
    start()
  }}}, field(t('sign_in.key'), key), h('p', {class: 'faint', id: 'kept'}, t('sign_in.kept')), h('button', {type: 'submit', class: 'button primary'}, t('sign_in')))
  app.replaceChildren(h('main', {class: 'sign-in'}, brand(), h('h1', {class: 'display'}, t('sign_in.title')), refusal && problem(refusal), form, taste()))
  key.focus()
}

function signOut(refusal) {
  import('./ask.js').then(ask => ask.forgetTalk())
  for (const name of ['key', 'organization', 'connection']) tab[name].set(null)
  caller = null
  forget()
  start(refusal)
}

// chooseOrganization is for operators, whose key is valid for all organizations.
async function chooseOrganization() {
  const {data} = await call('GET', '/organizations?limit=100')
  app.replaceChildren(h('main', {class: 'sign-in'}, brand(), h('h1', {class: 'display'}, t('organization.choose')),
    h('div', {class: 'column'}, data.map(o => button(visible(o.name), () => { tab.organization.set(o.id); caller = null; start() })))))
}

function frame() {
  const links = groups.map(names => h('ul', {}, names.map(name => h('li', {}, h('a', {href: '#/' + name, 'data-page': name}, icon(name), h('span', {}, t('nav.' + name)))))))
  const nav = h('nav', {id: 'nav', 'aria-label': t('nav')}, links, h('div', {class: 'foot'},
    h('p', {class: 'faint'}, h('bdi', {}, visible(caller.organization.name))), h('div', {id: 'account'}), taste(), button(t('sign_out'), () => signOut(), {kind: 'quiet'})))
  const menu = h('button', {type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'nav', on: {click: () => open(!document.body.classList.contains('open'))}}, icon('menu'), h('span', {class: 'spoken'}, t('nav')))
  app.replaceChildren(h('a', {class: 'skip', href: '#main', on: {click: event => { event.preventDefault(); document.getElementById('main').focus() }}}, t('skip')),
    h('header', {class: 'top'}, brand(), menu), nav, h('main', {id: 'main', tabindex: '-1'}), h('div', {id: 'said', class: 'spoken', 'aria-live': 'polite'}))
  account()
}

const open = yes => {
  document.body.classList.toggle('open', yes)
  document.querySelector('.menu')?.setAttribute('aria-expanded', String(yes))
}

// account draws the choice of an account, if there are several.
async function account() {
  let list
  try { list = (await connections()).data } catch { return }
  const place = document.getElementById('account')
  if (new Set(list.map(c => c.account_id)).size < 2) return place?.replaceChildren()
  const select = h('select', {on: {change: () => { tab.connection.set(select.value || null); forget(); go() }}}, h('option', {value: ''}, t('account.choose')),
    list.map(c => h('option', {value: c.id, selected: c.id === tab.connection.get()}, visible(c.name).slice(0, 60))))
  place?.replaceChildren(field(t('account'), select))
}

// go shows the page in the address.
async function go() {
  const [, name = 'ask', id] = location.hash.split('/')
  if (!document.getElementById('main') || !caller) return
  open(false)
  const known = name in pages ? name : 'ask'
  for (const link of document.querySelectorAll('nav a')) link.dataset.page === known ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current')
  document.title = `${t('nav.' + known)} · Kopeck`
  const main = document.getElementById('main'), place = h('div', {class: 'page'})
  const first = shown === null
  shown = place
  main.setAttribute('aria-busy', 'true')
  try {
    const [load, page] = pages[known], module = await load()
    if (shown !== place) return
    main.replaceChildren(place)
    module[page](place, id && decodeURIComponent(id))
  } catch (error) {
    main.replaceChildren(problem(error, go))
  }
  main.removeAttribute('aria-busy')
  if (!first) main.querySelector('h1')?.focus({preventScroll: true})
  window.scrollTo(0, 0)
}

window.addEventListener('hashchange', go)
window.addEventListener('kopeck:refused', event => signOut(event.detail))
window.addEventListener('kopeck:account', account)
document.addEventListener('keydown', event => event.key === 'Escape' && open(false))

theme(tab.theme.get() ?? 'auto')
await speak(preferred())
start()
