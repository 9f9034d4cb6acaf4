// Requests to the public API, with the key that the user entered.
import {parse} from './exact.js'
import {tab} from './tab.js'
import {current} from './words.js'

// Problem is an error response of the service.
export class Problem extends Error {
  constructor(status, detail, requestID) {
    super(detail.message ?? detail.code)
    this.status = status
    this.detail = detail
    this.code = detail.code
    this.requestID = requestID
  }
}

const headers = more => {
  const all = {'Accept-Language': current(), ...more}
  if (tab.key.get()) all.Authorization = 'Bearer ' + tab.key.get()
  if (tab.organization.get()) all['X-Org-Id'] = tab.organization.get()
  return all
}

async function send(method, path, body, more, signal) {
  let response
  try {
    response = await fetch(path, {method, headers: headers(more), body: body && JSON.stringify(body), signal, credentials: 'omit', referrerPolicy: 'no-referrer'})
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, {code: 'UNREACHABLE'}, '')
  }
  if (response.ok) return response
  const requestID = response.headers.get('X-Request-Id') ?? ''
  let detail
  try { detail = (await response.json()).detail } catch { /* not the service: something between */ }
  const problem = new Problem(response.status, detail ?? {code: 'UNREACHABLE', message: response.status + ' ' + response.statusText}, requestID)
  if (response.status === 401) window.dispatchEvent(new CustomEvent('kopeck:refused', {detail: problem}))
  throw problem
}

// call makes one request and reads its response.
export async function call(method, path, body, {signal, once} = {}) {
  const more = {}
  if (body) more['Content-Type'] = 'application/json'
  if (once) more['Idempotency-Key'] = once
  const response = await send(method, '/api/v1' + path, body, more, signal)
  const text = await response.text()
  return text ? parse(text) : null
}

// once returns a new Idempotency-Key. Use the same key for all attempts at one action, so that it is carried out only once if
// the user presses the button twice, or again after an error.
export const once = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

// all reads every page of a list, up to as many rows as a person would look at. The path may have parameters.
export async function all(path, most = 5000) {
  const rows = []
  let cursor = null
  do {
    const page = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor ? '&cursor=' + encodeURIComponent(cursor) : ''}`)
    rows.push(...page.data)
    cursor = page.next_cursor
  } while (cursor && rows.length < most)
  return {rows, more: Boolean(cursor)}
}

const read = new Map() // results of tools that this tab has read, by request

// tool runs a read-only tool. Its result is kept until it is requested again; each result shows the time of its data.
export async function tool(name, args, {fresh, signal} = {}) {
  const asked = JSON.stringify([name, args, tab.connection.get(), tab.organization.get()])
  if (!fresh && read.has(asked)) return read.get(asked)
  const result = {...await execute(name, args, {signal}), arguments: args}
  read.set(asked, result)
  return result
}

export const forget = () => read.clear()

export function execute(name, args, options) {
  return call('POST', `/tools/${name}/execute`, {arguments: args, connection_id: tab.connection.get() ?? undefined}, options)
}

// ask sends a conversation and yields the chunks of the answer as they arrive.
export async function* ask(messages, session, signal) {
  const more = {'Content-Type': 'application/json', Accept: 'text/event-stream'}
  if (session) more['X-Session-Id'] = session
  if (tab.connection.get()) more['X-Connection-Id'] = tab.connection.get()
  const response = await send('POST', '/v1/chat/completions', {model: 'kopeck', stream: true, messages}, more, signal)
  const requestID = response.headers.get('X-Request-Id') ?? ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = '', done = false
  for (;;) {
    const {value, done: ended} = await reader.read()
    if (ended) break
    const lines = (rest + value).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      const data = line.slice(5).trim()
      if (data === '[DONE]') { done = true; continue }
      const chunk = parse(data)
      if (chunk.detail) throw new Problem(200, chunk.detail, requestID)
      yield chunk
    }
  }
  if (!done) throw new Problem(0, {code: 'UNREACHABLE'}, requestID)
}
