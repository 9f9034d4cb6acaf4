// Figures exactly as the service wrote them. A double cannot hold all of them, so their text is shown and exported. The
// number is only for comparing and drawing.

export class Figure {
  constructor(text) { this.text = text }
  get number() { return Number(this.text) }
  get negative() { return this.text.startsWith('-') }
  toString() { return this.text }
  toJSON() { return this.number }
}

// parse reads JSON and keeps its numbers as figures. Some browsers do not provide the source text of a number. Then the
// text is the shortest one of the double, which is the same for up to 15 digits.
export function parse(text) {
  return JSON.parse(text, (_, value, context) => typeof value === 'number' ? new Figure(context?.source ?? String(value)) : value)
}

// dig follows a dotted path. It returns undefined if there is no such field.
export function dig(object, path) {
  return path.split('.').reduce((at, name) => at?.[name], object)
}
