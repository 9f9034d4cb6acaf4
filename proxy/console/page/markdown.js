// Draws the part of Markdown that answers use: headings, paragraphs, lists, tables, bold, emphasis and code. Links and
// images are shown as text, because anybody could have written them.
import {h, visible, broad} from './dom.js'
import {marked, figureMark, sourced} from './trace.js'
import {footnotes} from './words.js'

// markdown draws a text with its figures. The text may be incomplete, because the answer is still arriving.
export function markdown(text, figures = []) {
  const inline = text => pieced(text, figures)
  return quietEnd(blocks(visible(marked(text, figures)).replaceAll('\r', '').split('\n'), inline))
}

// quietEnd draws what the service adds below an answer in small type: the explanation of the figures, what no report has, and
// the sources. Such a part is a line, possibly with a list below it.
function quietEnd(nodes) {
  const footnote = new RegExp(`^(${footnotes().join('|')})( [^:\\n]+)?:`)
  for (let i = nodes.length - 1; i > 0; i--) {
    const list = nodes[i].tagName === 'UL'
    if (!footnote.test(nodes[list ? i - 1 : i].textContent)) break
    nodes[i].classList.add('faint')
    if (list) nodes[--i].classList.add('faint')
  }
  return nodes
}

function blocks(lines, inline) {
  const out = []
  for (let i = 0; i < lines.length;) {
    const line = lines[i]
    if (!line.trim()) { i++; continue }
    const take = test => { const from = i; while (i < lines.length && test(lines[i])) i++; return lines.slice(from, i) }
    if (line.startsWith('```')) {
      i++
      out.push(h('pre', {tabindex: '0'}, h('code', {}, take(l => !l.startsWith('```')).join('\n'))))
      i++
    } else if (/^#{1,6} /.test(line)) {
      out.push(h('h3', {}, inline(line.replace(/^#+ /, ''))))
      i++
    } else if (line.startsWith('|')) {
      out.push(grid(take(l => l.startsWith('|')), inline))
    } else if (/^[-*] /.test(line)) {
      out.push(h('ul', {}, take(l => /^[-*] /.test(l)).map(l => h('li', {}, inline(l.slice(2))))))
    } else if (/^\d+[.)] /.test(line)) {
      out.push(h('ol', {start: parseInt(line, 10)}, take(l => /^\d+[.)] /.test(l)).map(l => h('li', {}, inline(l.replace(/^\d+[.)] /, ''))))))
    } else {
      const text = take(l => l.trim() && !/^(```|#{1,6} |\||[-*] |\d+[.)] )/.test(l))
      out.push(h('p', {}, text.map((l, at) => [at > 0 && h('br'), inline(l)])))
    }
  }
  return out
}

const cells = line => line.replace(/^\|/, '').replace(/\|\s*$/, '').split(/(?<!\\)\|/).map(cell => cell.trim())

// grid draws a table, whose columns are as wide as their content, up to a limit. The service sends the table of a report whole,
// so nothing moves while the answer arrives.
function grid(lines, inline) {
  const [head, rule = '', ...rows] = lines
  const right = cells(rule).map(mark => mark.endsWith(':'))
  const aligned = i => right[i] ? 'figure' : null
  const names = cells(head)
  const body = /^\|[\s:|-]*$/.test(rule) ? rows : [rule, ...rows].filter(Boolean)
  const fit = lengths => 1.6 + 0.56 * Math.max(0, ...lengths)
  const width = names.map((name, i) => Math.max(fit(name.split(/[ -]/).map(word => word.length)),
    Math.min(i === 0 || right[i] ? 15 : 9.5, fit(body.map(line => cells(line)[i]?.length ?? 0)))))
  const heads = names.map((cell, i) => h('th', {scope: 'col', class: aligned(i)}, inline(cell)))
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': names.join(', ')},
    h('table', {style: broad(width)},
      h('colgroup', {}, width.map(w => h('col', {style: {width: w + 'rem'}}))),
      h('thead', {}, h('tr', {}, heads)),
      h('tbody', {}, body.map(line => h('tr', {}, cells(line).slice(0, names.length).map((cell, i) => h('td', {class: aligned(i), 'data-label': heads[i].textContent}, h('span', {}, inline(cell)))))))))
}

const pieces = new RegExp(/\\([!-/:-@[-`{-~])|`([^`]+)`|\*\*((?:\\.|[^\\*]|\*(?!\*))+)\*\*|\*((?:\\.|[^\\*\s])(?:\\.|[^\\*])*)\*|&(lt|gt|amp);/.source + '|' + figureMark, 'g')

const entities = {lt: '<', gt: '>', amp: '&'}

function pieced(text, figures) {
  const out = []
  let at = 0
  for (const found of text.matchAll(pieces)) {
    out.push(text.slice(at, found.index))
    at = found.index + found[0].length
    const [, escaped, code, strong, emphasis, entity, number, figure] = found
    if (escaped) out.push(escaped)
    else if (number) out.push(sourced(figures[number], figure))
    else if (code) out.push(h('code', {}, code))
    else if (strong) out.push(h('strong', {}, pieced(strong, figures)))
    else if (emphasis) out.push(h('em', {}, pieced(emphasis, figures)))
    else out.push(entities[entity])
  }
  out.push(text.slice(at))
  return out
}
