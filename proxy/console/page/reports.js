// The reports. Stock, minimums, dead stock, margin and cash have pages with charts; one page shows any other report. Each
// page calls its tool and shows the result. No page computes figures.
import {h, visible} from './dom.js'
import {tool, execute, call, once} from './api.js'
import {t, argumentOf, compare, label, layoutOf, reportNames, amount, percent, money, units, whole, sign, written} from './words.js'
import {button, empty, field, guarded, heading, loaded} from './parts.js'
import {bars, cloud, coverage} from './plot.js'
import {everything, fileName, list, notes, origin, tiles} from './result.js'
import {table} from './table.js'
import {tab} from './tab.js'

const most = 1000 // the largest limit that a tool accepts

// report draws the page of a tool.
function report(place, {title, lead, ...asked}) {
  const head = heading(title)
  place.append(head, h('p', {class: 'lead'}, lead), ...asking(head, asked))
}

// asking draws the controls for a tool's arguments, and the result as drawn by draw. It adds the button that reads the books
// anew to the heading.
function asking(head, {controls = [], args, read, draw}) {
  const out = h('div', {class: 'report'})
  const run = fresh => loaded(out, () => read(args(), {fresh}), draw, {text: t('loading.books')})
  const form = h('form', {class: 'controls', on: {submit: event => { event.preventDefault(); run(false) }}}, controls,
    controls.length > 0 && h('button', {type: 'submit', class: 'button primary'}, t('show')))
  form.addEventListener('change', event => event.target.matches('select') && form.requestSubmit())
  head.lastChild.append(button(t('refresh'), () => form.reportValidity() && run(true), {sign: 'refresh', kind: 'quiet'}))
  if (form.checkValidity()) run(false)
  return controls.length ? [form, out] : [out]
}

const section = (result, name) => layoutOf(result.tool).tables.find(s => s.field === name)

// warehouses draws a choice of warehouses. It is filled once they are known.
function warehouses() {
  const select = h('select', {}, h('option', {value: ''}, t('all.warehouses')))
  call('POST', '/connectors/moysklad/actions/stores/execute', {arguments: {}, connection_id: tab.connection.get() ?? undefined})
    .then(page => select.append(...page.rows.filter(s => !s.archived).map(s => h('option', {value: s.id}, visible(s.name).slice(0, 80)))), () => { /* the page works without the choice */ })
  return select
}

const days = value => h('input', {type: 'number', min: 1, max: 3650, step: 1, value, required: true})

const moscow = new Intl.DateTimeFormat('sv-SE', {timeZone: 'Europe/Moscow'})
const ago = n => moscow.format(new Date(Date.now() - n * 86_400_000))

const filled = values => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

export function stock(place) {
  const where = warehouses(), query = h('input', {type: 'search', placeholder: t('stock.query.hint')})
  return report(place, {
    title: t('nav.stock'), lead: t('stock.lead'), controls: [field(t('warehouse'), where), field(t('stock.query'), query)],
    args: () => filled({warehouse: where.value, query: query.value.trim(), limit: most}),
    read: (args, options) => tool('stock', args, options),
    draw: result => {
      const {warehouses, matched} = result.result
      if (matched === false) return [origin(result), notes(result), empty(t('stock.none'))]
      return [origin(result), notes(result), tiles(result, ['totals.money', 'totals.units', 'totals.available', 'totals.reserved', 'totals.in_transit', 'totals.positions_without_cost']),
        warehouses.length > 1 && bars({title: t('stock.plot', {currency: sign(result.currency)}), write: money, rows: warehouses.map(w => ({
          name: visible(w.name), value: w.money, note: w.positions_without_cost.number > 0 ? t('stock.plot.note', {n: w.positions_without_cost.text}) : null}))}),
        list(result, section(result, 'warehouses')), list(result, section(result, 'rows'))]
    },
  })
}

export function minimums(place) {
  const where = warehouses()
  return report(place, {
    title: t('nav.minimums'), lead: t('minimums.lead'), controls: [field(t('warehouse'), where)],
    args: () => filled({warehouse: where.value, limit: most}),
    read: async (args, options) => [await tool('below_minimum', args, options), await tool('shortage_by_supplier', args, options), args],
    draw: ([below, bySupplier, args]) => [origin(below), notes(below), tiles(below, ['totals.positions', 'totals.products', 'totals.out_of_stock', 'totals.compared', 'not_set']),
      suppliers(bySupplier, below, args), below.result.rows.length ? list(below, section(below, 'rows')) : empty(t('minimums.none'))],
  })
}

// suppliers draws the shortages by supplier, each with a button that drafts an order. below is the report that the page
// shows above.
function suppliers(result, below, args) {
  const groups = result.result.suppliers
  if (!groups.length) return null
  const name = group => group.supplier ? visible(group.supplier) : t('no.supplier')
  const panel = h('section', {class: 'panel'})
  const order = group => guarded(async () => {
    const made = await execute('draft_purchase_order', filled({supplier: group.supplier_id, warehouse: args.warehouse ?? '', from_shortage: true}), {once: once()})
    location.hash = '#/drafts/' + made.result.id
  }, () => panel)
  const action = {field: 'supplier_id', kind: 'text', title: t('action'), unexported: true, width: 11, text: () => '',
    cell: group => group.supplier_id ? button(t('minimums.order'), order(group), {kind: 'quiet', 'aria-label': t('minimums.order.from', {supplier: name(group)})}) : h('span', {class: 'faint'}, t('minimums.no_order'))}
  const columns = section(result, 'suppliers').columns
  panel.append(...[h('h2', {}, t('minimums.suppliers')), notes(result, below),
    bars({title: t('minimums.plot', {currency: sign(result.currency)}), write: money, rows: groups.map(g => ({name: name(g), value: g.money,
      note: g.lines_without_price.number > 0 ? t('minimums.plot.note', {n: g.lines_without_price.text}) : null}))}),
    table({title: label(layoutOf(result.tool)), columns: [columns[0], action, ...columns.slice(1)], rows: groups, currency: result.currency, source: result, file: fileName(result, 'suppliers'), level: 'h3'}),
    h('details', {}, h('summary', {}, t('minimums.lines')), list(result, section(result, 'suppliers'), {level: 'h4'}))].filter(Boolean))
  return panel
}

export function dead(place) {
  const where = warehouses(), old = days(90), window = days(90)
  return report(place, {
    title: t('nav.dead'), lead: t('dead.lead'), controls: [field(t('dead.min_days'), old), field(t('dead.window'), window), field(t('warehouse'), where)],
    args: () => filled({min_days: Number(old.value), sales_window_days: Number(window.value), warehouse: where.value, limit: most}),
    read: (args, options) => tool('dead_stock', args, options),
    draw: async result => {
      const {rows} = result.result
      const head = [origin(result), notes(result), tiles(result, ['totals.dead_money', 'totals.turning_money', 'totals.dead_positions', 'totals.positions_without_cost'])]
      if (!rows.length) return [...head, empty(t('dead.none'))]
      const verdict = layoutOf(result.tool).tables[0].columns.find(c => c.field === 'verdict')
      const group = (name, shape, filled) => ({name: label(verdict.words[name]), shape, filled, points: rows.filter(r => r.verdict === name && r.frozen_money).map(r => ({
        x: r.days_in_warehouse, y: r.frozen_money, text: `${visible(r.name).slice(0, 80)}: ${amount(r.frozen_money, result.currency)}, ${t('days', {n: units(r.days_in_warehouse)})}`}))})
      return [...head, await cloud({title: t('dead.plot'), groups: [group('dead', 'circle', true), group('turns_outside_sales', 'triangle', false)],
        x: {label: t('dead.plot.x'), write: n => whole(n)}, y: {label: t('dead.plot.y', {currency: sign(result.currency)}), write: n => whole(n)}}),
      list(result, section(result, 'rows')), list(result, section(result, 'warehouses'))]
    },
  })
}

export function margin(place) {
  const from = h('input', {type: 'date', value: ago(29), required: true}), to = h('input', {type: 'date', value: ago(0), required: true})
  const by = h('select', {}, ['product', 'variant', 'channel'].map(name => h('option', {value: name}, t('margin.by.' + name))))
  return report(place, {
    title: t('nav.margin'), lead: t('margin.lead'), controls: [field(t('from'), from), field(t('to'), to), field(t('margin.by'), by)],
    args: () => ({from: from.value, to: to.value, group_by: by.value, limit: most}),
    read: (args, options) => tool('margin', args, options),
    draw: async result => {
      const {totals, rows} = result.result
      const head = [origin(result), notes(result), tiles(result, ['totals.revenue', 'totals.covered_revenue', 'totals.covered_profit', 'totals.covered_margin_percent', 'totals.cost_coverage_percent', 'totals.rows_without_cost',
        ...(totals.services_without_cost.number > 0 ? ['totals.services_without_cost', 'totals.services_without_cost_revenue', 'totals.all_revenue'] : [])])]
      if (!rows.length) return [...head, empty(t('margin.none'))]
      return [...head,
        totals.cost_coverage_percent && coverage({title: t('margin.coverage'), percent: totals.cost_coverage_percent,
          known: t('margin.known', {share: percent(totals.cost_coverage_percent), money: amount(totals.covered_revenue, result.currency)}), unknown: t('margin.unknown', {n: totals.rows_without_cost.text})}),
        await picture(result), list(result, section(result, 'rows'), {columns: because(section(result, 'rows').columns)}),
        list(result, section(result, 'kinds')), list(result, section(result, 'uncovered'))]
    },
  })
}

// because returns why the profit of a row is unknown. The coverage says what the revenue with known cost would repeat.
const because = columns => columns.filter(c => c.field !== 'covered_revenue').map(c => ({...c, why: () => t(c.field === 'margin_percent' ? 'unknown.margin' : 'unknown.money')}))

// picture draws revenue against margin. For channels, of which there are few, it draws a bar with the revenue of each.
function picture(result) {
  const {rows} = result.result, name = row => written(section(result, 'rows').columns.find(c => c.field === 'name'), row.name, row)
  if (result.arguments.group_by === 'channel') return bars({title: t('margin.plot.channels', {currency: sign(result.currency)}), write: money, rows: rows.map(r => ({
    name: name(r), value: r.revenue, note: r.margin_percent ? t('margin.plot.note', {margin: percent(r.margin_percent)}) : t('unknown.margin')}))})
  const point = r => ({x: r.revenue, y: r.margin_percent, text: `${name(r).slice(0, 80)}: ${amount(r.revenue, result.currency)}, ${percent(r.margin_percent)}`})
  const drawn = rows.filter(r => r.revenue && r.margin_percent)
  return cloud({title: t('margin.plot'), groups: [
    {name: t('margin.plot.gain'), shape: 'circle', filled: true, points: drawn.filter(r => !r.margin_percent.negative).map(point)},
    {name: t('margin.plot.loss'), shape: 'triangle', filled: false, points: drawn.filter(r => r.margin_percent.negative).map(point)}],
  x: {label: t('margin.plot.x', {currency: sign(result.currency)}), write: n => whole(n)}, y: {label: t('margin.plot.y'), write: n => whole(n)}})
}

export function cash(place) {
  return report(place, {
    title: t('nav.cash'), lead: t('cash.lead'), args: () => ({}),
    read: (args, options) => tool('money_position', args, options),
    draw: result => {
      const at = result.result, layout = layoutOf(result.tool)
      const bar = (name, note, against) => ({name: label(layout.figures.find(c => c.field === name)), value: at[name], note, against})
      const own = at.accounts.filter(a => a.currency === result.currency && a.balance?.number !== 0) // the table has the empty ones too
      const shown = name => written(layout.tables[0].columns[0], name, {})
      return [origin(result), notes(result), tiles(result, ['cash', 'receivables', 'payables', 'net']),
        bars({title: t('cash.plot', {currency: sign(result.currency)}), write: money, rows: [bar('cash'), bar('receivables', t('cash.plot.people', {n: at.debtors?.text ?? '—'})), bar('payables', t('cash.plot.owed', {n: at.creditors?.text ?? '—'}), true), bar('net')]}),
        own.length > 1 && bars({title: t('cash.accounts', {currency: sign(result.currency)}), write: money, rows: own.map(a => ({name: `${shown(a.name) ?? '—'} · ${visible(a.organization)}`, value: a.balance}))}),
        ...['accounts', 'other_currencies', 'top_debtors', 'top_creditors'].map(name => list(result, section(result, name)))]
    },
  })
}

const pages = {stock: 'stock', below_minimum: 'minimums', dead_stock: 'dead', margin: 'margin', money_position: 'cash'} // of reports that have their own

// reports lists all reports, or draws the page of one. Its controls are made from the schema of the tool's arguments.
export function reports(place, name) {
  const title = name => label(layoutOf(name)), names = reportNames()
  if (!names.includes(name)) return place.append(heading(t('nav.reports')), h('p', {class: 'lead'}, t('reports.lead')),
    h('ul', {class: 'cards'}, names.sort((a, b) => compare(title(a), title(b))).map(name => h('li', {}, h('a', {class: 'button', href: '#/' + (pages[name] ?? 'reports/' + name)}, title(name))))))
  const head = heading(title(name)), out = h('div', {class: 'report'})
  place.append(head, h('p', {}, h('a', {href: '#/reports'}, t('reports.back'))), out)
  return loaded(out, () => call('GET', '/tools/' + name), ({parameters: {properties = {}, required = []}}) => {
    const {limit, ...asked} = properties
    const controls = Object.entries(asked).map(([argument, schema]) => control(name, argument, schema, required.includes(argument)))
    return asking(head, {
      controls: controls.map(c => field(c.title, c.input, c.hint)),
      args: () => filled({...Object.fromEntries(controls.map(c => [c.name, c.input.value.trim() && c.value(c.input.value.trim())])), limit: limit?.maximum ?? ''}),
      read: (args, options) => tool(name, args, options), draw: result => [origin(result), ...everything(result, 'h2')],
    })
  })
}

// control returns the input for an argument. An argument that the result has too is a day if it is one there, and has the
// same words.
function control(tool, name, schema, required) {
  const column = argumentOf(tool, name), drawn = (input, value = text => text, hint) => ({name, title: label(column), input, value, hint})
  if (name === 'warehouse') return drawn(warehouses())
  if (schema.enum) return drawn(h('select', {}, !required && !schema.default && h('option', {value: ''}, t('reports.any')),
    schema.enum.map(value => h('option', {value, selected: value === schema.default}, label(column.words?.[value]) || value))))
  if (schema.type === 'array') return drawn(h('input', {required}), text => text.split(',').map(part => part.trim()).filter(Boolean), t('reports.several'))
  if (column.kind === 'day' || column.kind === 'moment') return drawn(h('input', {type: 'date', required, value: required ? ago(name === 'to' ? 0 : 29) : ''}))
  if (schema.type === 'string') return drawn(h('input', {type: 'search', required}))
  return drawn(h('input', {type: 'number', required, min: schema.minimum, max: schema.maximum, step: schema.type === 'integer' ? 1 : 'any', value: schema.default}), Number)
}
