/**
 * In which encoding bytes are valid, however they are cut.
 */
import { expect, test } from 'vitest'
import { decoderLabel, probeCharset } from '../lib/charset.ts'

/** The verdict on bytes fed whole, one by one, and in twos. */
function verdicts(charset: string | undefined, hex: string) {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  return [bytes.length || 1, 1, 2].map((step) => {
    const probe = probeCharset(charset)
    for (let at = 0; at < bytes.length; at += step) probe.push(bytes.subarray(at, at + step))
    return probe.finish()
  })
}

test.each([
  [undefined, '', 'utf-8'],
  [undefined, '61', 'utf-8'],
  [undefined, 'c3 a9', 'utf-8'],
  [undefined, 'f0 9f 98 80', 'utf-8'],
  [undefined, 'ef bb bf', 'utf-8'],
  [undefined, 'ff fe', 'utf-16le'],
  [undefined, 'ff fe 61 00', 'utf-16le'],
  [undefined, 'fe ff 00 61', 'utf-16be'],
  ['utf-8', '61', 'utf-8'],
  ['UTF-16', '61 00', 'utf-16le'],
  ['utf-16', 'fe ff 00 61', 'utf-16be'],
  ['utf-16be', 'ff fe 61 00', 'utf-16le'],
  ['latin1', 'ff fe', 'windows-1252'],
  ['shift_jis', '82 a0', 'shift_jis'],
  ['bogus', 'c3 a9', 'utf-8'],
  ['bogus', 'ff fe 61 00', 'utf-16le'],
  ['iso-2022-kr', '61', 'utf-8'],
])('declared %s, the bytes %s are text in %s', (charset, hex, encoding) => {
  expect(verdicts(charset, hex)).toEqual([encoding, encoding, encoding])
})

test.each([
  [undefined, 'ff'],
  [undefined, 'e9'],
  [undefined, '61 c3'],
  [undefined, 'ed a0 80'],
  [undefined, 'f0 9f 98'],
  [undefined, 'ff fe 61'],
  [undefined, 'fe ff d8 00'],
  ['utf-8', 'ff fe 61 00'],
  ['utf-16le', '00'],
  ['utf-16le', '00 dc 61 00'],
  ['shift_jis', '82'],
  ['windows-1253', 'aa'],
  ['bogus', 'ff'],
])('declared %s, the bytes %s are no text', (charset, hex) => {
  expect(verdicts(charset, hex)).toEqual([undefined, undefined, undefined])
})

test('what is invalid stays so, whatever follows', () => {
  const probe = probeCharset('utf-8')
  for (const hex of ['61 62', 'ff', '61', 'c3 a9']) probe.push(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  expect(probe.finish()).toBeUndefined()
})

test('the label of a decoder is the one of the standard', () => {
  expect(decoderLabel('Latin1')).toBe('windows-1252')
  expect(decoderLabel(' UTF8 ')).toBe('utf-8')
  expect(decoderLabel('utf-7')).toBeUndefined()
  expect(decoderLabel('')).toBeUndefined()
  expect(decoderLabel('__proto__')).toBeUndefined()
})
