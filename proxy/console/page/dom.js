// Nodes are created by functions and never from markup, so text from other people always stays text.

// h creates an element. Properties become attributes, except class, on (event listeners) and style, whose properties are
// set one by one because the content security policy forbids style attributes. Properties that are null or false are left
// out.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue
    if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener)
    else if (name === 'style') for (const [property, set] of Object.entries(value)) element.style.setProperty(property, set)
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
  return element
}

// hidden returns text for screen readers only.
export const hidden = text => h('span', {class: 'spoken'}, text)

// foreign returns text from other people, such as a name or a comment. It is isolated, so that its direction and length do
// not affect the text around it.
export const foreign = text => h('bdi', {}, visible(text))

const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g

// visible removes characters that are invisible or change the direction of the text.
export const visible = text => String(text).replace(invisible, '')

// icon draws one of the icons.
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  for (const [attribute, value] of Object.entries({viewBox: '0 0 20 20', 'aria-hidden': 'true', class: 'icon'})) svg.setAttribute(attribute, value)
  path.setAttribute('d', icons[name])
  svg.append(path)
  return svg
}

const icons = {
  ask: 'M3 4h14v9H9l-4 3.5V13H3z',
  stock: 'M3 7l7-4 7 4v7l-7 4-7-4zM3 7l7 4 7-4M10 11v7',
  minimums: 'M3 4v13h14M6 8l4 5 3-3 4 5',
  dead: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14M10 6v4l3 2',
  margin: 'M4 16L16 4M6.5 4.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M13.500 12.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3',
  cash: 'M2.500 5.500h15v9h-15zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  reports: 'M3 3h14v14H3zM3 8h14M3 12.500h14M8 8v9',
  drafts: 'M5 2.500h7l3.500 3.500v11.500H5zM12 2.500V6h3.500M7.500 10h5.500M7.500 13h5.500',
  connections: 'M8 12l4-4M7 9l-2.500 2.500a2.800 2.800 0 0 0 4 4L11 13M13 11l2.500-2.500a2.800 2.800 0 0 0-4-4L9 7',
  keys: 'M13 3.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7M10.500 9.500L3.500 16.500M6 14l2 2',
  spend: 'M3 17V3M3 17h14M6.5 14v-4M10 14V6M13.500 14v-6',
  sessions: 'M3 4h14M3 8h14M3 12h9M3 16h6',
  events: 'M5 13V9a5 5 0 0 1 10 0v4l1.500 2h-13zM8.500 17.500h3',
  audit: 'M10 2.500l6 2.500v5c0 4-3 6.500-6 7.500-3-1-6-3.500-6-7.500V5zM7.500 10l2 2 3.500-4',
  menu: 'M3 5h14M3 10h14M3 15h14',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  refresh: 'M16 10a6 6 0 1 1-2-4.500M14.500 2.500v3.500H11',
  stop: 'M6 6h8v8H6z',
  send: 'M10 16V4M5 9l5-5 5 5',
  up: 'M6 12l4-4 4 4',
  down: 'M6 8l4 4 4-4',
}

// broad sets the minimum width of a table. On a phone, the first column, which has the names, is narrower.
export const broad = ([names, ...others]) => ({'--names': names + 'rem', '--others': others.reduce((sum, width) => sum + width, 0) + 'rem'})
