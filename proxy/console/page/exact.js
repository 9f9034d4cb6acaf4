// Figures as the service wrote them. A double would do for most of them, and "most" is not enough for books: the text is
// what is shown and exported, the number serves only to compare and to draw.

export class Figure {
  constructor(text) { this.text = text }
  get number() { return Number(this.text) }
  get negative() { return this.text.startsWith('-') }
  toString() { return this.text }
  toJSON() { return this.number }
}

// parse reads JSON with its numbers as figures. Browsers that do not hand out the source give a double's shortest text,
// which is the same for up to 15 digits.
export function parse(text) {
  return JSON.parse(text, (_, value, context) => typeof value === 'number' ? new Figure(context?.source ?? String(value)) : value)
}

// dig follows a dotted path; undefined where there is none.
export function dig(object, path) {
  return path.split('.').reduce((at, name) => at?.[name], object)
}
