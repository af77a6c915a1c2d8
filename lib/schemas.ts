/**
 * The shapes of requests and answers for the OpenAPI description, made from the schemas that validate requests and the
 * table of errors that answers.
 */
import * as z from 'zod'
import { wireErrors } from './errors.ts'
import { ListParams, ReadParams } from './params.ts'
import { Id, listMethod, readMethod } from './rpc.ts'

const ReadResult = z.object({
  contents: z
    .array(
      z.union([
        z.object({ uri: z.string(), mimeType: z.string(), text: z.string() }),
        z.object({ uri: z.string(), mimeType: z.string(), blob: z.base64() }),
      ]),
    )
    .length(1),
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

/** Every shape by the name that the description refers to it. */
export const schemas = {
  ReadRequest: request(readMethod, ReadParams),
  ListRequest: request(listMethod, ListParams.optional()),
  ReadResponse: response(ReadResult),
  ListResponse: response(ListResult),
  ErrorResponse,
  Capability,
}

/** The shapes as JSON Schema, by name. */
export function jsonSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' })
      return [name, rest]
    }),
  )
}
