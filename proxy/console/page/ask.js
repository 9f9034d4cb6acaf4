// Questions and answers. While an answer grows, nothing above it moves. Figures show where they come from.
import {h, icon, visible} from './dom.js'
import {all, ask as answerOf} from './api.js'
import {parse} from './exact.js'
import {t, label, layoutOf, moment, conditions} from './words.js'
import {problem, say, loaded} from './parts.js'
import {markdown} from './markdown.js'
import {placed} from './trace.js'
import {origin, facts, everything} from './result.js'
import {card} from './draft.js'

const fresh = () => ({session: null, messages: [], turns: [], typed: ''})
let talk = fresh() // kept while other pages are open

export const forgetTalk = () => { talk.stop?.(); talk = fresh() }

// ask draws the page. It continues a session if one is given.
export function ask(place, session) {
  if (session && session !== talk.session) { forgetTalk(); talk.session = session }
  if (!session && talk.session) history.replaceState(null, '', '#/ask/' + talk.session)
  const room = h('div', {class: 'talk', tabindex: '0', role: 'log', 'aria-label': t('ask.title'), 'aria-live': 'off'})
  const input = h('textarea', {rows: 1, 'aria-label': t('ask.label'), placeholder: t('ask.hint'), value: talk.typed, on: {
    input: () => { talk.typed = input.value; fit(input) },
    keydown: event => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send() } },
  }})
  const go = h('button', {type: 'submit', class: 'round'}, icon('send'), h('span', {class: 'spoken'}, t('ask.send')))
  const halt = h('button', {type: 'button', class: 'round', on: {click: () => talk.stop?.()}}, icon('stop'), h('span', {class: 'spoken'}, t('ask.stop')))
  const form = h('form', {class: 'composer', on: {submit: event => { event.preventDefault(); send() }}}, input, go, halt)
  const showState = () => { go.hidden = Boolean(talk.stop); halt.hidden = !talk.stop }

  async function send(text = input.value.trim()) {
    if (!text || talk.stop) return
    input.value = talk.typed = ''
    fit(input)
    room.querySelector('.welcome')?.remove()
    await turn(text, room, showState)
    showState()
  }

  place.classList.add('asking')
  place.append(h('h1', {class: 'spoken', tabindex: '-1'}, t('ask.title')), room, form)
  showState()
  if (talk.turns.length) room.append(...talk.turns)
  else if (talk.session) loaded(room, () => all(`/sessions/${talk.session}/messages`), list => { talk.turns = replay(list.rows, talk); return talk.turns })
  else room.append(welcome(send))
  if (talk.turns.length) room.append(again())
}

const again = () => h('p', {class: 'faint center'}, h('a', {href: '#/ask', on: {click: () => forgetTalk()}}, t('ask.new')))

const fit = input => { input.style.setProperty('height', 'auto'); input.style.setProperty('height', Math.min(input.scrollHeight, 160) + 'px') }

function welcome(send) {
  return h('div', {class: 'welcome'}, h('p', {class: 'display'}, t('ask.welcome')), h('p', {class: 'faint'}, t('ask.promise')),
    h('ul', {class: 'suggestions'}, [1, 2, 3, 4, 5].map(n => h('li', {}, h('button', {type: 'button', on: {click: () => send(t('ask.try.' + n))}}, t('ask.try.' + n))))))
}

// turn asks a question, and draws the answer while it arrives.
async function turn(text, room, changed) {
  const control = new AbortController(), answer = blank()
  talk.stop = () => control.abort()
  changed()
  const asked = h('div', {class: 'turn'}, h('p', {class: 'question'}, h('bdi', {}, visible(text))), answer.element)
  talk.turns.push(asked)
  room.append(asked)
  asked.scrollIntoView({block: 'start'})
  const mine = talk
  mine.messages.push({role: 'user', content: text})
  try {
    for await (const chunk of answerOf(mine.messages, mine.session, control.signal)) {
      if (chunk.kopeck?.session_id) mine.session = chunk.kopeck.session_id
      answer.add(chunk)
    }
    answer.finish()
    mine.messages.push({role: 'assistant', content: answer.text()})
  } catch (error) {
    answer.finish()
    mine.messages.pop()
    if (error.name === 'AbortError') answer.element.append(h('p', {class: 'faint stopped', role: 'status'}, t('ask.stopped')))
    else answer.element.append(problem(error))
  }
  if (mine !== talk) return
  talk.stop = null
  if (mine.session && /^(#\/ask|$)/.test(location.hash)) history.replaceState(null, '', '#/ask/' + mine.session)
}

// blank returns an answer without text yet.
function blank() {
  const progress = h('p', {class: 'progress', role: 'status'}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), h('span', {}, t('ask.thinking')))
  const body = h('div', {class: 'prose'}), below = h('div', {class: 'below'})
  const element = h('div', {class: 'answer', 'aria-busy': 'true'}, progress, body, below)
  let text = '', drawing = 0
  const results = [], figures = []
  const draw = () => { drawing = 0; redraw(body, markdown(text, figures)) }
  return {
    element,
    text: () => text,
    add(chunk) {
      const delta = chunk.choices?.[0]?.delta ?? {}
      if (delta.reasoning_content) progress.lastChild.textContent = doing(delta.reasoning_content)
      for (const done of chunk.kopeck?.tools ?? []) if (done.state === 'finished' && done.result) results.push(done.result)
      figures.push(...placed(delta.kopeck?.figures))
      if (delta.content) { text += delta.content; drawing ||= requestAnimationFrame(draw) }
    },
    finish() {
      cancelAnimationFrame(drawing)
      draw()
      complete(progress, body, below, results)
      element.removeAttribute('aria-busy')
      say(body.textContent.slice(0, 600))
    },
  }
}

// doing describes the last step of the agent's reasoning, which is a tool and its arguments.
function doing(told) {
  const step = told.trim().split('\n').at(-1), name = step.split(' ')[0]
  return layoutOf(name) ? t('ask.reading', {what: label(layoutOf(name))}) : visible(step)
}

// redraw replaces only the blocks that differ, which is usually the last one.
function redraw(body, blocks) {
  blocks.forEach((block, i) => {
    const there = body.children[i]
    if (!there) body.append(block)
    else if (!there.isEqualNode(block)) there.replaceWith(block)
  })
  while (body.children.length > blocks.length) body.lastChild.remove()
}

// complete replaces the progress with the number of sources, and adds the drafts and sources below the answer.
function complete(progress, body, below, results) {
  const drafts = new Map(results.filter(r => r.tool.startsWith('draft_')).map(r => [r.result.id, r.result]))
  const reads = results.filter(r => !r.tool.startsWith('draft_'))
  const told = !results.length ? 'ask.no_sources' : body.querySelector('.sourced') ? 'ask.sources' : 'ask.sources.count'
  progress.replaceChildren(t(told, {n: results.length}))
  progress.removeAttribute('role')
  for (const draft of drafts.values()) foldPreview(body, draft)
  for (const draft of drafts.values()) window.dispatchEvent(new CustomEvent('kopeck:draft', {detail: {draft, by: null}}))
  below.append(...[...drafts.values()].map(d => card(d, {level: 'h3', told: true})), ...reads.map(source))
}

// foldPreview folds what the draft's card shows again: the answer from the draft's heading to its last table. The origins
// of the draft's numbers remain visible, and until it is decided the command that confirms it.
function foldPreview(body, draft) {
  const nodes = [...body.children], {ru, en} = layoutOf('draft').label
  const start = nodes.findIndex(node => [ru, en].some(name => node.textContent.startsWith(`${name} ${draft.code}`)))
  const command = nodes.findLastIndex(node => node.textContent.includes(draft.code))
  const end = nodes.slice(0, command).findLastIndex(node => node.matches('.scroll'))
  if (start < 0 || end < start) return
  const folded = h('div', {class: 'prose'})
  nodes[start].before(h('details', {}, h('summary', {}, t('ask.preview')), folded))
  folded.append(...nodes.slice(start, end + 1))
  window.addEventListener('kopeck:draft', ({detail}) => detail.draft.id === draft.id && detail.draft.state !== 'draft' && nodes[command].remove())
}

// source shows one tool's result. It is folded, and drawn only when it is opened.
export function source(result) {
  const inside = h('div')
  const element = h('details', {class: 'source', on: {toggle: () => {
    if (!element.open || inside.childElementCount) return
    inside.append(...[origin(result), facts(conditions(result))].filter(Boolean), ...everything(result, 'h3'))
  }}}, h('summary', {}, h('span', {}, t('source')), ' ', h('strong', {}, label(layoutOf(result.tool)) || result.tool), ' ',
    h('span', {class: 'faint'}, t('source.short', {as_of: moment(result.as_of), calls: result.upstream_calls.text}))), inside)
  return element
}

// replay draws a stored conversation. The messages that it draws are sent along with the next question.
export function replay(messages, into) {
  const turns = []
  let asked = null, read = [] // results since the last answer
  for (const m of messages) {
    const result = m.role === 'tool' ? parse(m.content) : null // null if the message is not a result
    read.push(...result?.tool ? [result] : m.results ?? [])
    if (m.role === 'user') {
      asked = h('div', {class: 'turn'}, h('p', {class: 'question'}, h('bdi', {}, visible(m.content))))
      turns.push(asked)
    } else if (m.role === 'assistant' && !m.tool_calls) {
      const answer = blank()
      answer.add({choices: [{delta: {content: m.content, kopeck: {figures: m.figures ?? []}}}], kopeck: {tools: read.map(result => ({state: 'finished', result}))}})
      read = []
      answer.finish()
      asked?.append(answer.element)
    } else continue
    into?.messages.push({role: m.role, content: m.content})
  }
  return turns
}

