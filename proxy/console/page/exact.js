// Figures exactly as the service wrote them. A double cannot hold all of them, so the text is shown and exported; the
// number is used only to compare and to draw.

export class Figure {
  constructor(text) { this.text = text }
  get number() { return Number(this.text) }
  get negative() { return this.text.startsWith('-') }
  toString() { return this.text }
  toJSON() { return this.number }
}

// parse reads JSON with its numbers as figures. Some browsers do not provide the source text. They give a double's
// shortest text, which is the same for up to 15 digits.
export function parse(text) {
  return JSON.parse(text, (_, value, context) => typeof value === 'number' ? new Figure(context?.source ?? String(value)) : value)
}

// dig follows a dotted path. It returns undefined if there is no such field.
export function dig(object, path) {
  return path.split('.').reduce((at, name) => at?.[name], object)
}
