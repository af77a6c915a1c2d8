/**
 * Extensions: each names one type that can be shown, and the types of source files are text.
 */
import { expect, test } from 'vitest'
import { sourceTypes } from '../lib/extensions.ts'
import { isTextType, parseMediaType } from '../lib/media.ts'

test.each([
  ['ts', 'application/typescript'],
  ['mjs', 'text/javascript'],
  ['py', 'text/x-python'],
  ['sh', 'application/x-sh'],
  ['dockerfile', 'text/x-dockerfile'],
  ['gitignore', 'text/plain'],
])('.%s is %s', (extension, type) => {
  expect(sourceTypes.get(extension)).toBe(type)
})

test('every type is normal and text, every extension lower-case and without a dot', () => {
  for (const [extension, type] of sourceTypes) {
    expect(parseMediaType(type)?.text).toBe(type)
    expect(isTextType(type)).toBe(true)
    expect(extension).toMatch(/^[a-z0-9+]+$/)
  }
})
