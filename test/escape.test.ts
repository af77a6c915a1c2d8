import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import wabt from 'wabt'
import { escapeBytes, escapeModule } from '../lib/escape.ts'

const escapeAll = (...bytes: number[]) => [...escapeBytes(Uint8Array.from(bytes))].join('')

test('the compiled module is escape.wat', async () => {
  const source = readFileSync(new URL('../lib/escape.wat', import.meta.url), 'utf8')
  const { buffer } = (await wabt()).parseWat('escape.wat', source, { simd: true }).toBinary({})
  expect(escapeModule).toBe(Buffer.from(buffer).toString('base64'))
})

test('quotes, backslashes and control characters are escaped, everything else stays', () => {
  expect(escapeAll(0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d)).toBe('\\"\\\\\\b\\t\\n\\f\\r')
  expect(escapeAll(0, 1, 0x0b, 0x1f)).toBe('\\u0000\\u0001\\u000b\\u001f')
  expect(escapeAll(0x20, 0x21, 0x23, 0x7f, 0x80, 0xff, 0x2f)).toBe(' !#\x7f\x80\xff/')
  expect(escapeAll()).toBe('')
})

test('any bytes at any length escape as JSON does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(40), (bytes, offset) => {
      const text = Buffer.from(bytes.subarray(offset)).toString('latin1')
      expect(JSON.parse(`"${escapeAll(...bytes.subarray(offset))}"`)).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('input of several pieces of 64 KiB is escaped whole, the worst case too', () => {
  const bytes = Buffer.alloc(200_001, Buffer.from([1, 0x61, 0x22]))
  const pieces = [...escapeBytes(bytes)]
  expect(pieces).toHaveLength(4)
  expect(JSON.parse(`"${pieces.join('')}"`)).toBe(bytes.toString('latin1'))
  expect([...escapeBytes(Buffer.alloc(65_536))].join('')).toBe('\\u0000'.repeat(65_536))
})
