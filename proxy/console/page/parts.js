// Elements that several pages use.
import {h, icon, hidden, visible} from './dom.js'
import {t, said} from './words.js'
import {call, Problem} from './api.js'
import {tab} from './tab.js'

export function button(text, press, {kind = '', sign, disabled, ...more} = {}) {
  return h('button', {type: 'button', class: `button ${kind}`, on: {click: press}, disabled, ...more}, sign && icon(sign), h('span', {}, text))
}

// problem shows an error with the service's message and hint, and the request's id. If again is given, a button repeats that
// action.
export function problem(error, again) {
  if (!(error instanceof Problem)) {
    console.error(error)
    error = new Problem(0, {code: 'PAGE', message: String(error?.message ?? error)}, '')
  }
  const detail = error.detail
  const key = 'error.' + error.code, headline = said(key) ? t(key) : t('error')
  return h('div', {class: 'problem', role: 'alert'},
    h('p', {class: 'problem-head'}, headline),
    detail.message && h('p', {}, visible(detail.message)),
    detail.fields && h('ul', {}, detail.fields.map(f => h('li', {}, h('code', {}, visible(f.field)), ' ', visible(f.problem)))),
    detail.hint && h('p', {}, visible(detail.hint)),
    detail.upstream?.text && h('p', {}, t('error.upstream'), ' ', h('q', {}, visible(detail.upstream.text))),
    h('p', {class: 'faint'}, h('code', {}, error.code), error.requestID && [' · ', t('error.request'), ' ', h('code', {}, error.requestID)]),
    error.code === 'ACCOUNT_AMBIGUOUS' && accounts(detail.accounts, again),
    again && error.code !== 'ACCOUNT_AMBIGUOUS' && button(t('again'), again))
}

// accounts is the choice of an account.
function accounts(list, again) {
  return h('div', {class: 'row', role: 'group', 'aria-label': t('account.choose')}, list.map(a => button(visible(a.name), () => {
    tab.connection.set(a.connection_id)
    window.dispatchEvent(new Event('kopeck:account'))
    again?.()
  }, {title: a.account_id})))
}

export const loading = (text = t('loading')) => h('div', {class: 'waiting', role: 'status'},
  h('p', {}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), text),
  h('div', {class: 'bones', 'aria-hidden': 'true'}, Array.from({length: 5}, () => h('i'))))

export const empty = (text, ...more) => h('div', {class: 'empty'}, h('p', {}, text), more)

export const pill = (state, text) => h('span', {class: `pill ${state}`}, text)

// loaded fills a place with what draw makes of the result of read. It shows that it is waiting, and errors.
export async function loaded(place, read, draw, {text} = {}) {
  const run = async () => {
    place.replaceChildren(loading(text))
    place.setAttribute('aria-busy', 'true')
    try {
      place.replaceChildren(...[await draw(await read())].flat(Infinity).filter(Boolean))
    } catch (error) {
      if (error.name !== 'AbortError') place.replaceChildren(problem(error, run))
    } finally {
      place.removeAttribute('aria-busy')
    }
  }
  await run()
}

// guarded runs the action of a button. It prevents a second press, and shows errors beside the button.
export function guarded(press, where) {
  return async event => {
    const pressed = event.currentTarget
    pressed.disabled = true
    where().querySelector(':scope > .problem')?.remove()
    try {
      await press(event)
    } catch (error) {
      where().append(problem(error))
    } finally {
      pressed.disabled = false
    }
  }
}

export function field(text, input, hint) {
  return h('label', {class: 'field'}, h('span', {}, text), input, hint && h('small', {}, hint))
}

export function copier(text) {
  const done = h('span', {class: 'faint', role: 'status'})
  return [button(t('copy'), async () => {
    try { await navigator.clipboard.writeText(text); done.textContent = t('copied') } catch { done.textContent = t('copy.failed') }
  }, {sign: 'copy'}), done]
}

// sure asks for confirmation before something is deleted.
export function sure(question, yes) {
  return new Promise(resolve => {
    const answer = sure => { dialog.close(); dialog.remove(); resolve(sure) }
    const dialog = h('dialog', {class: 'sure', 'aria-label': question, on: {cancel: () => answer(false)}},
      h('p', {}, question),
      h('div', {class: 'row end'}, button(t('no.keep'), () => answer(false)), button(yes, () => answer(true), {kind: 'danger'})))
    document.body.append(dialog)
    dialog.showModal()
  })
}

export const heading = (title, ...more) => h('header', {class: 'page-head'}, h('h1', {tabindex: '-1'}, title), h('div', {class: 'row'}, more))

// say announces a change to screen readers.
export function say(text) {
  document.getElementById('said').replaceChildren(hidden(text))
}

export const connections = () => call('GET', '/connections?limit=100')
