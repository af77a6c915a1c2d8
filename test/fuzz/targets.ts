/**
 * What is fuzzed, and what must hold of it whatever comes: parsers throw nothing but their own refusals and give nothing
 * that breaks a rule, and the service answers every body and header with one well-formed answer that is no 5xx.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { ResolverError } from '../../lib/errors.ts'
import { keysOf } from '../../lib/events.ts'
import { fileIdPattern, objectKey, parseObjectKey } from '../../lib/keys.ts'
import { parseMediaType } from '../../lib/media.ts'
import { fileIdIn, fileIdOf, parseListParams, parseReadParams } from '../../lib/params.ts'
import { parseMessage } from '../../lib/rpc.ts'
import type { Service } from '../harness.ts'
import { json, near, text } from './inputs.ts'

/** A property that holds for all inputs. */
export type Target = (service: Service) => fc.IRawProperty<unknown>

const fileId = 'fl_0123456789abcdef01234567'
const read = 'ai.nimblebrain/resources/read'
const list = 'ai.nimblebrain/resources/list'
const place = `files/acme/ana/${fileId}/q1%20report.txt`

/** What `run` gives, or undefined when it refuses with one of the codes; anything else that it throws is a finding. */
function orRefused<T>(codes: readonly string[], run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof ResolverError && codes.includes(error.code)) return undefined
    throw error
  }
}

const uri: Target = () =>
  fc.property(fc.oneof(near(`files://${fileId}`, 'files://fl_abc_01234567'), text, json('uri')), (value) => {
    const params = typeof value === 'string' ? { uri: value } : value
    const parsed = orRefused(['invalid-params'], () => parseReadParams(params))
    if (parsed === undefined) return
    expect(parsed.startsWith('files://') && parsed.length <= 2_048).toBe(true)
    const id = fileIdOf(parsed)
    if (id === undefined) return
    expect(id).toMatch(fileIdPattern)
    expect(parsed).toBe(`files://${id}`)
    expect(fileIdIn(params)).toBe(id)
  })

const filter: Target = () =>
  fc.property(
    json('scheme', 'mimeType', 'tags', 'files', '_meta', 'filter', 'cursor'),
    fc.boolean(),
    (value, isWhole) => {
      const params = isWhole ? value : { _meta: { filter: value } }
      const wanted = orRefused(['invalid-params'], () => parseListParams(params))
      if (!wanted) return
      expect(new Set(wanted.tags).size).toBe(wanted.tags.length)
      expect(wanted.tags.length).toBeLessThanOrEqual(64)
      for (const tag of wanted.tags) expect(tag).toBe(tag.normalize('NFC'))
    },
  )

const mediaType: Target = () =>
  fc.property(near('text/plain; charset="utf-8"', 'application/vnd.x+json;a=b;c="d\\"e"', 'a/b'), (value) => {
    const media = parseMediaType(value)
    if (!media) return
    expect(media.essence).toMatch(/^[^\s/;]+\/[^\s/;]+$/)
    expect(parseMediaType(media.text)?.text).toBe(media.text)
  })

const objectKeys: Target = () =>
  fc.property(near(place, 'files/a%2Fb/auth0%7C5f/fl_abc_01234567'), (key) => {
    const parsed = parseObjectKey(key)
    if (!parsed) return
    expect(objectKey(parsed)).toBe(key)
    expect(parsed.fileId).toMatch(fileIdPattern)
  })

const events: Target = () => {
  const event = `{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":"${place}"}}}]}`
  const whole = fc.oneof(
    near(event),
    json('Records', 'eventName', 's3', 'object', 'key', 'Event').map((value) => JSON.stringify(value) ?? ''),
  )
  return fc.property(whole, (body) => {
    try {
      for (const key of keysOf(body)) expect(typeof key).toBe('string')
    } catch (error) {
      // a message that cannot be understood is left to the queue; what matters is that it is told and ends nothing
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(RangeError)
    }
  })
}

const frames = [
  `{"jsonrpc":"2.0","id":1,"method":"${read}","params":{"uri":"files://${fileId}"}}`,
  `{"jsonrpc":"2.0","id":"a","method":"${list}","params":{"_meta":{"filter":{"tags":["t"],"mimeType":"text/plain"}}}}`,
  '{"jsonrpc":"2.0","method":"x"}',
]

const envelope: Target = () =>
  fc.property(
    fc.oneof(
      near(...frames),
      json('jsonrpc', 'id', 'method', 'params', '2.0', read, list).map(
        (value) => JSON.stringify(value) ?? '',
      ),
    ),
    (body) => {
      const message = orRefused(['parse-error', 'invalid-request'], () => parseMessage(Buffer.from(body)))
      if (message) expect(typeof message.method).toBe('string')
    },
  )

const bytes = fc.oneof(
  near(...frames).map((frame) => new Uint8Array(Buffer.from(frame))),
  fc
    .uint8Array({ maxLength: 200 })
    .map((noise) => new Uint8Array(Buffer.concat([Buffer.from(frames[0] ?? ''), noise]))),
  json('jsonrpc', 'id', 'method', 'params', '2.0', read, list).map(
    (value) => new Uint8Array(Buffer.from(JSON.stringify(value) ?? '')),
  ),
)

const service: Target = ({ call }) =>
  fc.asyncProperty(bytes, async (body) => {
    const { status, text: answered, headers } = await call('', {}, { body })
    expect([200, 202, 400]).toContain(status)
    if (status === 202) {
      expect(answered).toBe('')
      return
    }
    expect(headers.get('content-type')).toBe('application/json')
    const answer = JSON.parse(answered)
    expect(Object.keys(answer)).toEqual(['jsonrpc', 'id', 'result' in answer ? 'result' : 'error'])
    if (answer.error) expect([-32700, -32600, -32601, -32602, -32002]).toContain(answer.error.code)
    else expect(answer.result).toEqual({ resources: [] })
  })

const token: Target = ({ call, token: good }) =>
  fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(600), fc.constantFrom(...'Ab0-_.=~ ,/+"'), fc.boolean()), {
      minLength: 1,
      maxLength: 3,
    }),
    async (edits) => {
      const honest = await good()
      const spoilt = edits.reduce((whole, [place, put, isInsert]) => {
        const at = place % whole.length
        return whole.slice(0, at) + put + whole.slice(isInsert ? at : at + 1)
      }, honest)
      const { status, text: answered } = await call(
        frames[1],
        {},
        { headers: { authorization: `Bearer ${spoilt}` } },
      )
      // the last character of base64url carries bits that mean nothing
      if (
        spoilt.trim() === honest ||
        Buffer.from(spoilt.split('.')[2] ?? '', 'base64url').equals(
          Buffer.from(honest.split('.')[2] ?? '', 'base64url'),
        )
      )
        return
      expect(status).toBe(401)
      expect(answered).toBe('{"error":"invalid_token"}')
    },
  )

/** All of them by name. */
export const targets: Readonly<Record<string, Target>> = {
  uri,
  filter,
  mediaType,
  objectKeys,
  events,
  envelope,
  service,
  token,
}
