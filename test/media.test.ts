/**
 * Media types: parsing and showing them, the type of a file, and what is text.
 */
import { expect, test } from 'vitest'
import { essenceOf, fileType, isTextType, parseMediaType } from '../lib/media.ts'

test.each([
  ['text/csv', 'text/csv', undefined, 'text/csv'],
  ['TEXT/Csv; Charset=UTF-8', 'text/csv', 'UTF-8', 'text/csv; charset=UTF-8'],
  [' text/csv ;x=y', 'text/csv', undefined, 'text/csv; x=y'],
  ['text/csv;charset="utf-8"', 'text/csv', 'utf-8', 'text/csv; charset=utf-8'],
  ['text/csv;a="b c"', 'text/csv', undefined, 'text/csv; a="b c"'],
  ['text/csv;a="b\\"c"', 'text/csv', undefined, 'text/csv; a="b\\"c"'],
  ['text/csv;a=1;a=2', 'text/csv', undefined, 'text/csv; a=1'],
  ['text/csv;;', 'text/csv', undefined, 'text/csv'],
])('%j is parsed', (declared, essence, charset, text) => {
  expect(parseMediaType(declared)).toMatchObject({ essence, charset, text })
})

test('the text without charset keeps the other parameters in order', () => {
  expect(parseMediaType('text/csv; a=1; charset=utf-8; b=2')?.textWithoutCharset).toBe('text/csv; a=1; b=2')
})

test.each(['', 'text', '/', 'text/', '/csv', 'a b/c', 'text/c sv', ';', 'té/x', `text/${'x'.repeat(251)}`])(
  '%j is no media type',
  (declared) => {
    expect(parseMediaType(declared)).toBeUndefined()
  },
)

test('a type of 255 characters is kept', () => {
  expect(parseMediaType(`text/${'x'.repeat(250)}`)?.essence).toHaveLength(255)
})

test('a type that would be shown with more than 255 characters is not kept', () => {
  const parameters = (count: number) => ';a=b'.replace('a', 'x'.repeat(count))
  expect(parseMediaType(`text/csv${parameters(243)}`)?.text).toHaveLength(255)
  expect(parseMediaType(`text/csv${parameters(244)}`)).toBeUndefined()
})

test.each([
  [undefined, 'a.csv', 'text/csv'],
  ['', 'a.csv', 'text/csv'],
  ['image/png', 'a.csv', 'image/png'],
  ['binary/octet-stream', 'a.csv', 'text/csv'],
  ['application/octet-stream; x=y', 'a.csv', 'text/csv'],
  ['application/octet-stream', 'a', 'application/octet-stream'],
  [undefined, 'archive.tar.gz', 'application/gzip'],
  [undefined, 'dir.csv/file', 'application/octet-stream'],
  [undefined, 'A.PDF', 'application/pdf'],
  [undefined, 'csv', 'text/csv'],
  [undefined, '', 'application/octet-stream'],
  [undefined, 'a.hasOwnProperty', 'application/octet-stream'],
])('a file that declares %j and is named %j is %s', (declared, name, text) => {
  expect(fileType(declared, name).text).toBe(text)
})

test('the essence of a shown type ends at its first parameter', () => {
  expect(essenceOf('text/csv; a=";"')).toBe('text/csv')
  expect(essenceOf('text/csv')).toBe('text/csv')
})

test.each([
  ['text/x', true],
  ['application/json', true],
  ['application/geo+json', true],
  ['application/x+xml', true],
  ['application/x+yaml', true],
  ['model/x+json', true],
  ['image/svg+xml', false],
  ['image/x+json', false],
  ['application/json+x', false],
  ['application/x+jsonl', false],
  ['application/octet-stream', false],
  ['application/pdf', false],
  ['audio/x', false],
  ['texts/x', false],
])('%s is text: %s', (essence, isText) => {
  expect(isTextType(essence)).toBe(isText)
})
