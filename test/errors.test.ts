/**
 * The one error class and its makers.
 */
import { expect, test } from 'vitest'
import { invalidParams, limitExceeded, ResolverError, unavailable } from '../lib/errors.ts'

test('an error has a code, a message that says what it is, and its cause', () => {
  const cause = new Error('inner')
  const error = new ResolverError('not-found', { detail: 'gone', cause, data: { a: 1 } })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    name: 'ResolverError',
    code: 'not-found',
    message: 'Resource not found: gone',
    data: { a: 1 },
    cause,
  })
})

test('a code without a public message is told by its detail, else by itself', () => {
  expect(new ResolverError('limit', { detail: 'too long' }).message).toBe('too long')
  expect(new ResolverError('conflict').message).toBe('conflict')
})

test('the makers set their codes', () => {
  expect(unavailable('S3').code).toBe('unavailable')
  expect(invalidParams('x', { a: 1 })).toMatchObject({ code: 'invalid-params', data: { a: 1 } })
  expect(invalidParams('x').data).toBeUndefined()
  expect(limitExceeded('x').code).toBe('limit')
})
