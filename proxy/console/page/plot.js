// Charts. Everything that a chart shows is also on the page as text, and nothing depends on colour alone.
import {h} from './dom.js'
import {t} from './words.js'

// bars compares a few values by length. Each bar has its figure beside it. Negative bars are hatched and extend to the
// left. Values that are subtracted, such as debts, are hatched too. An unknown value is a dash. note says what a bar does
// not include.
export function bars({title, rows, write}) {
  const known = rows.filter(row => row.value)
  const top = Math.max(0, ...known.map(row => row.value.number)), bottom = Math.min(0, ...known.map(row => row.value.number))
  const span = top - bottom || 1, zero = -bottom / span * 100
  const bar = ({value, against}) => value && value.number !== 0 && h('span', {class: value.negative ? 'bar below' : against ? 'bar against' : 'bar', style: {
    left: (value.negative ? zero + value.number / span * 100 : zero) + '%', width: Math.abs(value.number) / span * 100 + '%'}})
  return h('figure', {class: 'plot'},
    h('figcaption', {}, title),
    h('ul', {class: 'bars'}, rows.map(row => h('li', {},
      h('bdi', {class: 'bar-name', title: row.name}, row.name),
      h('span', {class: 'bar-room', 'aria-hidden': 'true'}, zero > 0 && h('span', {class: 'bar-zero', style: {left: zero + '%'}}), bar(row)),
      h('span', {class: 'bar-value'}, row.value ? write(row.value) : '—'),
      row.note && h('small', {class: 'bar-note'}, row.note)))))
}

// columns draws daily values. An unknown value is hatched over the full height. The pointer shows the name of a column. The
// table below has the same figures.
export function columns({title, bars, write}) {
  const top = Math.max(0, ...bars.map(bar => bar.value?.number ?? 0)) || 1
  const said = ({name, value}) => `${name}: ${value ? write(value) : '—'}`
  const peak = bars.reduce((best, bar) => (bar.value?.number ?? 0) > (best.value?.number ?? 0) ? bar : best, bars[0])
  return h('figure', {class: 'plot'},
    h('figcaption', {}, title),
    h('div', {class: 'columns', role: 'img', 'aria-label': `${title}. ${t('plot.most', {what: said(peak)})} ${t('plot.same')}`},
      bars.map(bar => h('span', {class: 'column-room', title: said(bar)}, h('span', {class: bar.value ? 'column-bar' : 'column-bar unpriced', style: {height: bar.value ? bar.value.number / top * 100 + '%' : '100%'}})))),
    h('p', {class: 'column-ends faint', 'aria-hidden': 'true'}, h('span', {}, bars[0].name), h('span', {}, t('plot.most', {what: said(peak)})), h('span', {}, bars.at(-1).name)))
}

// coverage shows how much of a whole is known. The rest is hatched, because it is unknown rather than zero.
export function coverage({title, percent, known, unknown}) {
  return h('figure', {class: 'plot'},
    h('figcaption', {}, title),
    h('div', {class: 'share', 'aria-hidden': 'true'}, h('span', {class: 'share-known', style: {width: Math.max(0, Math.min(100, percent.number)) + '%'}})),
    h('ul', {class: 'legend'}, h('li', {}, h('i', {class: 'key solid', 'aria-hidden': 'true'}), known), h('li', {}, h('i', {class: 'key hatched', 'aria-hidden': 'true'}), unknown)))
}

const shapes = {
  circle: (pen, x, y, r) => { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 2 * Math.PI) },
  triangle: (pen, x, y, r) => { pen.moveTo(x, y - 1.2 * r); pen.lineTo(x + 1.1 * r, y + 0.8 * r); pen.lineTo(x - 1.1 * r, y + 0.8 * r); pen.closePath() },
}

// plotter loads uPlot and its style sheet when the first chart needs them.
async function plotter() {
  if (!document.getElementById('uplot')) document.head.append(h('link', {id: 'uplot', rel: 'stylesheet', href: '/console/uplot.css'}))
  return import('./uplot.js')
}

// cloud draws points that have two figures each. Groups of points differ in shape and filling. The pointer shows the name
// of a point. The table beside the chart has the names too.
export async function cloud({title, groups, x, y}) {
  const {default: uPlot} = await plotter()
  const place = h('div', {class: 'cloud'}), tip = h('div', {class: 'tip', hidden: true})
  const figure = h('figure', {class: 'plot'},
    h('figcaption', {}, title),
    h('ul', {class: 'legend'}, groups.map(g => h('li', {}, h('i', {class: `key ${g.shape}`, 'aria-hidden': 'true'}), g.name))),
    place, h('p', {class: 'faint'}, t('plot.same')))
  place.setAttribute('role', 'img')
  place.setAttribute('aria-label', `${title}. ${x.label}, ${y.label}. ${t('plot.same')}`)
  const probe = h('i', {hidden: true}), colour = name => { // the colour in a form that a canvas understands
    probe.style.setProperty('color', `var(${name})`)
    return getComputedStyle(probe).color
  }
  figure.append(probe)
  const points = groups.map(g => [g.points.map(p => p.x.number), g.points.map(p => p.y.number)])
  const paths = (u, series) => {
    const group = groups[series - 1], pen = u.ctx, r = 4 * devicePixelRatio
    pen.save()
    pen.beginPath()
    points[series - 1][0].forEach((value, i) => shapes[group.shape](pen, u.valToPos(value, 'x', true), u.valToPos(points[series - 1][1][i], 'y', true), r))
    pen.strokeStyle = colour(group.filled ? '--mark' : '--mark-2')
    pen.fillStyle = colour(group.filled ? '--mark-fill' : '--mark-2-fill')
    pen.lineWidth = 1.5 * devicePixelRatio
    pen.fill()
    pen.stroke()
    pen.restore()
    return null
  }
  const near = u => {
    let best = null, distance = 18
    groups.forEach(group => group.points.forEach(p => {
      const d = Math.hypot(u.valToPos(p.x.number, 'x') - u.cursor.left, u.valToPos(p.y.number, 'y') - u.cursor.top)
      if (d < distance) [best, distance] = [p, d]
    }))
    tip.hidden = !best
    if (!best) return
    tip.textContent = best.text
    tip.style.setProperty('left', Math.min(u.valToPos(best.x.number, 'x') + u.over.offsetLeft, place.clientWidth - 220) + 'px')
    tip.style.setProperty('top', u.valToPos(best.y.number, 'y') + u.over.offsetTop + 12 + 'px')
  }
  const axis = (label, write, more) => ({label, labelSize: 22, labelGap: 2, labelFont: '12px system-ui, sans-serif', font: '12px system-ui, sans-serif', stroke: () => colour('--ink-2'), grid: {stroke: () => colour('--line'), width: 1}, ticks: {show: false}, values: (_, ticks) => ticks.map(write), ...more})
  const draw = () => new uPlot({
    mode: 2, width: place.clientWidth, height: 280, legend: {show: false}, cursor: {drag: {x: false, y: false}, points: {show: false}},
    scales: {x: {time: false, range: (_, low, high) => [Math.min(low, 0), high * 1.05 || 1]}, y: {range: (_, low, high) => [Math.min(low * 1.15, 0), high * 1.08 || 1]}},
    axes: [axis(x.label, x.write, {size: 32}), axis(y.label, y.write, {size: 72})],
    series: [{}, ...groups.map(g => ({label: g.name, paths}))],
    hooks: {setCursor: [near]},
  }, [null, ...points], place)
  let plot, drawn = 0
  const again = () => {
    if (place.clientWidth === 0 || place.clientWidth === drawn) return
    drawn = place.clientWidth
    plot?.destroy()
    plot = draw()
    place.append(tip)
  }
  new ResizeObserver(again).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot?.redraw())
  window.addEventListener('kopeck:theme', () => plot?.redraw())
  return figure
}
