/**
 * Whatever type a list or a read shows, given back as a filter, finds the file that it was shown for.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodedType, isTextType, parseMediaType } from '../lib/media.ts'
import { parseListParams } from '../lib/params.ts'

const essence = fc.oneof(
  fc.constantFrom('text/csv', 'TEXT/Plain', 'application/json', 'application/x+xml', 'image/svg+xml'),
  fc.constantFrom('application/pdf', 'application/octet-stream', 'a/b', `text/${'x'.repeat(230)}`),
)
const anyValue = fc.string({ unit: fc.constantFrom(...'ab;= "\\,/\té'), maxLength: 8 })
const value = fc.oneof(
  fc.constantFrom('utf-8', 'UTF-8', 'latin1', 'windows-1252', 'utf-16', 'none', ''),
  anyValue,
  anyValue.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
)
const name = fc.constantFrom('charset', 'Charset', 'a', 'header', 'CHARSET ', 'b c', '')
const parameter = fc
  .tuple(fc.constantFrom(';', '; ', ' ;'), name, value)
  .map(([sep, n, v]) => `${sep}${n}=${v}`)
const declaration = fc
  .tuple(essence, fc.array(parameter, { maxLength: 4 }))
  .map(([type, rest]) => type + rest.join(''))

/** As a file that declared this is shown: with its charset, and if it is a text that could be decoded also without. */
function shownTypes(declared: string): string[] {
  const media = parseMediaType(declared)
  if (!media) return []
  return isTextType(media.essence) ? [media.text, decodedType(media)] : [media.text]
}

test('a type that is shown finds its file', () => {
  fc.assert(
    fc.property(declaration, (declared) => {
      for (const mimeType of shownTypes(declared)) {
        const wanted = parseListParams({ _meta: { filter: { mimeType } } })
        expect(wanted?.essence).toBe(mimeType.split(';')[0])
        if (wanted?.types !== undefined) expect(wanted.types).toContain(mimeType)
      }
    }),
    { numRuns: 2_000 },
  )
})
