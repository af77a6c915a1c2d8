/**
 * The little XML that S3 speaks: documents are written by hand and read by element name. Everything that comes from a
 * caller is escaped, control characters too, so that any key survives a listing.
 */
const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

/** The text with every character that XML could misread as a numeric reference. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a key may hold control characters
  return text.replace(/[<>&"'\u0000-\u001f\u007f\ufffe\uffff]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** The text with its references resolved, in one pass so that `&amp;lt;` stays `&lt;`. */
export function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    return named[name] ?? whole
  })
}

/** One element with escaped text, or nothing when there is no value. */
export function element(name: string, value: string | number | boolean | undefined): string {
  return value === undefined ? '' : `<${name}>${escapeXml(String(value))}</${name}>`
}

/** One element around markup that is already written. */
export function wrap(name: string, ...inner: string[]): string {
  return `<${name}>${inner.join('')}</${name}>`
}

/** A whole document in S3's namespace. */
export function xmlDocument(name: string, ...inner: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${namespace}">${inner.join('')}</${name}>`
}

/** The inner markup of every element of that name, in order. */
export function findAll(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '')
}

/** The text of the first element of that name, unescaped. */
export function findText(xml: string, name: string): string | undefined {
  const inner = findAll(xml, name)[0]
  return inner === undefined ? undefined : unescapeXml(inner)
}

/** The text of every element of that name, unescaped. */
export function findTexts(xml: string, name: string): string[] {
  return findAll(xml, name).map(unescapeXml)
}
