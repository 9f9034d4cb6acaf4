// The limits of keys and of the organization, and how much of them is used.
import {h, visible} from './dom.js'
import {all, call} from './api.js'
import {t, amount, units} from './words.js'
import {Figure} from './exact.js'
import {button, field, guarded, loaded, say, sure} from './parts.js'

const counted = ['requests_per_minute', 'tokens_per_minute', 'tokens_per_day', 'tokens_per_month', 'tokens_in_all']
const paid = ['money_per_day', 'money_per_month', 'money_in_all']

// limits draws the limits of the organization or of one of its keys. Only an operator can change those of the organization.
export async function limits(place, organization) {
  const [{operator}, {rows}] = await Promise.all([call('GET', '/caller'), all(organization + '/api-keys')])
  const whose = h('select', {}, h('option', {value: organization}, t('limits.organization')),
    rows.filter(key => key.state === 'active').map(key => h('option', {value: `${organization}/api-keys/${key.id}`}, visible(key.name).slice(0, 80))))
  const out = h('div', {class: 'report'})
  const run = () => loaded(out, () => call('GET', whose.value + '/limits'), found => subject(found, whose.value, operator || whose.value !== organization, run))
  whose.addEventListener('change', run)
  place.append(h('h2', {}, t('limits')), h('p', {class: 'lead'}, t('limits.lead')), h('div', {class: 'controls'}, field(t('limits.whose'), whose)), out)
  return run()
}

function subject(found, path, mayChange, again) {
  return [levels(found), mayChange ? editor(found, path, again) : h('p', {class: 'faint'}, t('limits.operator'))]
}

// levels draws how much of each limit is used.
function levels(found) {
  const set = [...counted, ...paid].filter(name => found[name] !== null)
  const write = (name, figure) => paid.includes(name) ? amount(figure, found.currency) : units(figure)
  const level = name => {
    const most = found[name] instanceof Figure ? found[name] : new Figure(String(found[name])), used = new Figure(found.used[name] ?? '0'), reserved = new Figure(found.reserved[name] ?? '0')
    const percent = most.number > 0 ? Math.min(100, used.number / most.number * 100) : 100
    return h('li', {}, h('span', {class: 'bar-name'}, t('limits.' + name)),
      h('span', {class: 'bar-room', 'aria-hidden': 'true'}, percent > 0 && h('span', {class: 'bar', style: {left: 0, width: percent + '%'}})),
      h('span', {class: 'bar-value'}, t('limits.used', {used: write(name, used), most: write(name, most)})),
      reserved.number > 0 && h('small', {class: 'bar-note'}, t('limits.reserved', {reserved: write(name, reserved)})))
  }
  return h('figure', {class: 'plot'}, h('figcaption', {}, t('limits.levels')),
    found.models && h('p', {}, found.models.length ? t('limits.only', {models: found.models.map(visible).join(', ')}) : t('limits.no_models')),
    set.length ? h('ul', {class: 'bars levels'}, set.map(level)) : !found.models && h('p', {class: 'faint'}, t('limits.none')))
}

function editor(found, path, again) {
  const inputs = Object.fromEntries([...counted, ...paid].map(name => [name, h('input', {name, inputmode: paid.includes(name) ? 'decimal' : 'numeric', autocomplete: 'off', pattern: paid.includes(name) ? '[0-9]+([.,][0-9]{1,6})?' : '[0-9]{1,13}', title: t(paid.includes(name) ? 'limits.decimal' : 'limits.whole'), value: found[name] === null ? '' : String(found[name])})]))
  const models = h('input', {name: 'models', autocomplete: 'off', spellcheck: 'false', value: (found.models ?? []).join(', ')})
  const currency = h('input', {name: 'currency', maxlength: 3, pattern: '[A-Za-z]{3}', autocomplete: 'off', value: found.currency, placeholder: 'USD'})
  const card = h('form', {class: 'card form', on: {submit: event => event.preventDefault()}}, h('h3', {}, t('limits.change')), h('p', {class: 'faint'}, t('limits.blank')))
  const put = async wanted => {
    await call('PUT', path + '/limits', wanted)
    say(t('limits.set'))
    await again()
  }
  const set = guarded(() => card.reportValidity() && put(wanted(inputs, models.value, currency.value)), () => card)
  const lift = guarded(async () => { if (await sure(t('limits.lift.sure'), t('limits.lift'))) await put({}) }, () => card)
  card.append(field(t('limits.models'), models, t('limits.models.hint')),
    h('div', {class: 'fields'}, Object.entries(inputs).map(([name, input]) => field(t('limits.' + name), input))), field(t('limits.currency'), currency, t('limits.currency.hint')),
    h('div', {class: 'row'}, button(t('limits.save'), set, {kind: 'primary', type: 'submit'}), button(t('limits.lift'), lift, {kind: 'danger quiet'})))
  return card
}

// wanted returns the limits to send. Money is sent as text, so that no digit is lost.
function wanted(inputs, models, currency) {
  const values = Object.entries(inputs).map(([name, input]) => [name, input.value.trim().replace(',', '.')]).filter(([, value]) => value !== '')
  const names = models.split(',').map(name => name.trim()).filter(Boolean)
  return {...Object.fromEntries(values.map(([name, value]) => [name, paid.includes(name) ? value : Number(value)])), ...(names.length && {models: names}),
    ...(values.some(([name]) => paid.includes(name)) && {currency: currency.trim().toUpperCase()})}
}
