/**
 * The log: one line of JSON each, and errors with all their causes.
 */
import { expect, test } from 'vitest'
import { unavailable } from '../lib/errors.ts'
import { createLog, describeError } from '../lib/log.ts'

test('an error is described with all its causes', () => {
  const error = unavailable('GetItem failed', new TypeError('refused', { cause: 'port 1' }))
  expect(describeError(error)).toBe(
    'ResolverError: Internal error ← Error: GetItem failed ← TypeError: refused ← port 1',
  )
})

test('what is no error is described as text', () => {
  expect(describeError('x')).toBe('x')
  expect(describeError(undefined)).toBe('undefined')
})

test('a log line is one line of JSON with time, level, event and fields', () => {
  const lines: string[] = []
  const log = createLog((line) => lines.push(line))
  log('error', 'broken', { error: 'a\nb"c' })
  log('info', 'started')
  expect(lines).toHaveLength(2)
  expect(lines[0]).not.toContain('\n')
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: 'error',
    event: 'broken',
    error: 'a\nb"c',
  })
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ level: 'info', event: 'started' })
})
