/**
 * Inputs that are nearly right: pieces of what parsers know, spoilt in the ways that break parsers.
 */
import fc from 'fast-check'

/** Texts that parsers trip over. */
export const oddTexts = [
  '',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '.',
  '/',
  '//',
  '\\',
  '%',
  '%00',
  '%2e%2e',
  '%2F',
  '%252F',
  '%ff',
  '%ZZ',
  '+',
  ' ',
  '\r\n',
  '#',
  '?',
  '*',
  '$',
  'null',
  '-0',
  '1e999',
  '9007199254740993',
  'ﬁ',
  '🏔',
]

/** Any text: odd ones, random ones, and both put together; up to some hundred characters. */
export const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.oneof(fc.constantFrom(...oddTexts), fc.string({ maxLength: 4 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
)

/** One of the seeds, with some characters removed, doubled, exchanged or put in. */
export function near(...seeds: string[]): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.nat(200), fc.nat(3), text)
  return fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 4 })).map(([seed, edits]) =>
    edits.reduce((whole, [place, length, put]) => {
      const at = whole.length === 0 ? 0 : place % (whole.length + 1)
      return whole.slice(0, at) + put + whole.slice(at + length)
    }, seed),
  )
}

/** Any value of JSON, with the names that matter among its keys. */
export function json(...keys: string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom(...keys, '__proto__', 'constructor'), text)
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, false, 0, -0, 1e300, ...keys),
      fc.double(),
      text,
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    ),
  })).value
}
