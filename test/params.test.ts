/**
 * Parameters: what a filter is made into. What is refused, and with which data, is in the contract tests.
 */
import { expect, test } from 'vitest'
import { fileIdOf, isPossibleTag, parseListParams, parseReadParams } from '../lib/params.ts'

const filter = (value: unknown) => parseListParams({ _meta: { filter: value } })

test('no filter wants everything', () => {
  const everything = { essence: undefined, types: undefined, tags: [] }
  expect(parseListParams()).toEqual(everything)
  expect(parseListParams({})).toEqual(everything)
  expect(parseListParams({ _meta: { other: 1 } })).toEqual(everything)
  expect(filter({ scheme: 'files', tags: [] })).toEqual(everything)
})

test('a type without parameters wants its essence, one with parameters wants exactly that', () => {
  expect(filter({ mimeType: 'Text/CSV' })).toEqual({ essence: 'text/csv', types: undefined, tags: [] })
  expect(filter({ mimeType: 'text/csv;A=b' })).toEqual({
    essence: 'text/csv',
    types: ['text/csv; a=b'],
    tags: [],
  })
})

test('a charset that a decoder knows is one that the file may have kept, or lost when it was decoded', () => {
  const types = (mimeType: string) => filter({ mimeType })?.types
  expect(types('text/csv;charset=latin1;a=b')).toEqual(['text/csv; a=b', 'text/csv; charset=latin1; a=b'])
  expect(types('text/csv;charset=none;a=b')).toEqual(['text/csv; charset=none; a=b'])
  expect(types('text/csv;charset=latin1')).toBeUndefined()
  expect(types('image/png;charset=latin1')).toEqual(['image/png; charset=latin1'])
})

test('tags are in NFC, each once, in their order', () => {
  expect(filter({ tags: ['b', 'e\u0301', 'a', 'b', '\u00e9'] })?.tags).toEqual(['b', '\u00e9', 'a'])
})

test('what no file can carry wants nothing', () => {
  for (const value of [
    { mimeType: 'x' },
    { tags: [''] },
    { tags: ['a', '\ud800'] },
    { tags: ['x'.repeat(257)] },
  ]) {
    expect(filter(value)).toBeUndefined()
  }
})

test.each([
  ['x', true],
  ['x'.repeat(256), true],
  ['é'.repeat(128), true],
  ['\u0000', true],
  ['😀', true],
  ['', false],
  ['x'.repeat(257), false],
  ['é'.repeat(129), false],
  ['\ud83d', false],
])('a file may carry the tag %j: %s', (tag, possible) => {
  expect(isPossibleTag(tag)).toBe(possible)
})

test('an id is what follows the scheme, or none', () => {
  expect(parseReadParams({ uri: 'files://x y' })).toBe('files://x y')
  expect(fileIdOf('files://fl_0123456789abcdef01234567')).toBe('fl_0123456789abcdef01234567')
  expect(fileIdOf('files://fl_0123456789abcdef01234567/')).toBeUndefined()
  expect(fileIdOf('files://none')).toBeUndefined()
})
