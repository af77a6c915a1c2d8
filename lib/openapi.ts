/**
 * What the service says of itself: the capability that a host advertises, and the OpenAPI description, made from the
 * schemas that validate and the table of errors that answers.
 */
import * as z from 'zod'
import { wireErrors } from './errors.ts'
import { ListParams, ReadParams, supportedSchemes } from './params.ts'
import { Id, listMethod, readMethod } from './rpc.ts'

/** The object for `capabilities.extensions["ai.nimblebrain/host-resources"]`. */
export function capability(maxReadBytes: number) {
  return {
    read: { enabled: true, range: false, maxSize: maxReadBytes },
    list: { enabled: true },
    write: { enabled: false },
    schemes: supportedSchemes,
  }
}

const ReadResult = z.object({
  contents: z.tuple([
    z.union([
      z.object({ uri: z.string(), mimeType: z.string(), text: z.string() }),
      z.object({ uri: z.string(), mimeType: z.string(), blob: z.base64() }),
    ]),
  ]),
})

const Resource = z.object({ uri: z.string(), name: z.string(), mimeType: z.string(), size: z.int() })
const ListResult = z.object({ resources: z.array(Resource) })

const codes = [...new Set(Object.values(wireErrors).map(({ rpc }) => rpc))]
const ErrorResponse = z.object({
  jsonrpc: z.literal('2.0'),
  id: Id.nullable(),
  error: z.object({
    code: z.literal(codes),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
})

const Capability = z.object({
  read: z.object({ enabled: z.boolean(), range: z.boolean(), maxSize: z.int() }),
  list: z.object({ enabled: z.boolean() }),
  write: z.object({ enabled: z.boolean() }),
  schemes: z.array(z.string()),
})

const request = (method: string, params: z.ZodType) =>
  z.object({ jsonrpc: z.literal('2.0'), id: Id.optional(), method: z.literal(method), params })

const response = (result: z.ZodType) => z.object({ jsonrpc: z.literal('2.0'), id: Id, result })

const schemas = {
  ReadRequest: request(readMethod, ReadParams),
  ListRequest: request(listMethod, ListParams.optional()),
  ReadResponse: response(ReadResult),
  ListResponse: response(ListResult),
  ErrorResponse,
  Capability,
}

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (...names: (keyof typeof schemas)[]) => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return refs.length === 1 ? { ...refs[0] } : { oneOf: refs }
}
const plainError = { type: 'object', required: ['error'], properties: { error: { type: 'string' } } }
const ok = {
  description: 'The process runs',
  ...json({ type: 'object', properties: { status: { const: 'ok' } } }),
}

/** The OpenAPI 3.1 description of every endpoint. */
export function openApi(maxReadBytes: number) {
  const rpcErrors = Object.groupBy(Object.values(wireErrors), ({ status }) => status)
  const failures = Object.entries(rpcErrors)
    .filter(([status]) => status !== '200')
    .map(([status, errors = []]) => {
      const description = errors.map(({ rpc, message }) => `${message} (${rpc})`).join(', ')
      return [status, { description, ...json(ref('ErrorResponse')) }]
    })
  return {
    openapi: '3.1.0',
    info: {
      title: 'File resolver',
      version: '1',
      description: `Backs the MCP extension ai.nimblebrain/host-resources. A read returns at most ${maxReadBytes} bytes.`,
    },
    paths: {
      '/rpc': {
        post: {
          operationId: 'call',
          summary: 'One JSON-RPC 2.0 request: read a resource or list resources',
          security: [{ token: [] }],
          parameters: [
            {
              name: 'Max-Read-Bytes',
              in: 'header',
              description: 'Lowers the read limit for this request',
              schema: { type: 'integer', minimum: 0 },
            },
          ],
          requestBody: { required: true, ...json(ref('ReadRequest', 'ListRequest')) },
          responses: {
            200: {
              description: 'The JSON-RPC response',
              ...json(ref('ReadResponse', 'ListResponse', 'ErrorResponse')),
            },
            202: { description: 'A notification was accepted and does nothing' },
            401: { description: 'No valid token', ...json(plainError) },
            ...Object.fromEntries(failures),
          },
        },
      },
      '/capability': {
        get: {
          operationId: 'capability',
          summary: 'What a host advertises as ai.nimblebrain/host-resources',
          responses: { 200: { description: 'The capability', ...json(ref('Capability')) } },
        },
      },
      '/healthz': {
        get: { operationId: 'healthz', summary: 'Whether the process runs', responses: { 200: ok } },
      },
      '/readyz': {
        get: {
          operationId: 'readyz',
          summary: 'Whether the bucket and the tables answer',
          responses: {
            200: ok,
            503: { description: 'Something does not answer', ...json({ type: 'object' }) },
          },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'This document',
          responses: { 200: { description: 'OpenAPI 3.1' } },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => {
          const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' })
          return [name, rest]
        }),
      ),
    },
  }
}
