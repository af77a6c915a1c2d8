/**
 * Which origins may be configured for uploads.
 */
import { expect, test } from 'vitest'
import { parseUploadOrigins, uploadCors } from '../../infra/cors.ts'

test.each([
  [undefined, []],
  ['', []],
  [' , ', []],
  ['https://app.example.com', ['https://app.example.com']],
  ['https://a.example.com, http://localhost:3000', ['https://a.example.com', 'http://localhost:3000']],
])('%j names the origins %j', (text, origins) => {
  expect(parseUploadOrigins(text)).toEqual(origins)
})

test.each(['*', 'https://*.example.com', 'https://a.example.com/', 'a.example.com', 'file:///x', 'null'])(
  '%j is no origin',
  (text) => {
    expect(() => parseUploadOrigins(text)).toThrow('UPLOAD_ORIGINS')
  },
)

test('each that is none is named, and how one looks', () => {
  expect(() => parseUploadOrigins('*, https://a.example.com, b.example.com')).toThrow(
    new Error(
      'UPLOAD_ORIGINS: "*" is no origin; one looks like https://app.example.com\n' +
        'UPLOAD_ORIGINS: "b.example.com" is no origin; one looks like https://app.example.com',
    ),
  )
})

test('without origins there are no rules, and with some only PUT is allowed', () => {
  expect(uploadCors([])).toEqual([])
  expect(uploadCors(['https://a.example.com'])).toMatchObject([
    { AllowedOrigins: ['https://a.example.com'], AllowedMethods: ['PUT'] },
  ])
})
