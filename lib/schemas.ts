/**
 * The shapes of requests and answers for the OpenAPI description, as JSON Schema. They are written out, since making
 * them from the schemas that validate would cost each cold start a generator; a test compares the two.
 */
import { wireErrors } from './errors.ts'
import { maxUriLength } from './limits.ts'
import { listMethod, readMethod } from './rpc.ts'

const string = { type: 'string' }
const boolean = { type: 'boolean' }
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const number = { type: 'number', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const id = { anyOf: [string, number] }
const version = { type: 'string', const: '2.0' }
const array = (items: object) => ({ type: 'array', items })

/** An object with all these members, and perhaps some `optional` ones. */
export function object(required: Record<string, object>, optional: Record<string, object> = {}) {
  const names = Object.keys(required)
  return {
    type: 'object',
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  }
}

const ReadParams = object({ uri: { ...string, maxLength: maxUriLength } })

const Filter = {
  ...object({}, { scheme: { ...string, enum: ['files'] }, mimeType: string, tags: array(string) }),
  additionalProperties: false,
}
const ListParams = object({}, { _meta: { ...object({}, { filter: Filter }), additionalProperties: {} } })

const method = (name: string) => ({ ...string, const: name })
const read = { jsonrpc: version, method: method(readMethod), params: ReadParams }
const list = { jsonrpc: version, method: method(listMethod) }

const Contents = {
  ...array({
    anyOf: [
      object({ uri: string, mimeType: string, text: string }),
      object({ uri: string, mimeType: string, blob: { ...string, contentEncoding: 'base64' } }),
    ],
  }),
  minItems: 1,
  maxItems: 1,
}
const Resource = object({ uri: string, name: string, mimeType: string, size: count })
const response = (result: object) => object({ jsonrpc: version, id, result })

const codes = [...new Set(Object.values(wireErrors).map(({ rpc }) => rpc))]

/** Every shape by the name that the description refers to it. */
export const schemas = {
  ReadRequest: object(read, { id }),
  ListRequest: object(list, { id, params: ListParams }),
  ReadResponse: response(object({ contents: Contents })),
  ListResponse: response(object({ resources: array(Resource) })),
  ErrorResponse: object({
    jsonrpc: version,
    id: { anyOf: [string, number, { type: 'null' }] },
    error: object({ code: { type: 'number', enum: codes }, message: string }, { data: { type: 'object' } }),
  }),
  Capability: object({
    read: object({ enabled: boolean, range: boolean, maxSize: count }),
    list: object({ enabled: boolean }),
    write: object({ enabled: boolean }),
    schemes: array(string),
  }),
}
