import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { ListParams, ReadParams } from '../lib/params.ts'
import { Message } from '../lib/rpc.ts'
import { schemas } from '../lib/schemas.ts'

const generated = (schema: z.ZodMiniType) => z.toJSONSchema(schema, { io: 'input' })

test('requests are described as they are validated', () => {
  expect(generated(ReadParams)).toMatchObject(schemas.ReadRequest.properties.params ?? {})
  expect(generated(ListParams)).toMatchObject(schemas.ListRequest.properties.params ?? {})
  const { properties, required } = generated(Message)
  expect(properties?.jsonrpc).toEqual(schemas.ReadRequest.properties.jsonrpc)
  expect(properties?.id).toEqual(schemas.ReadRequest.properties.id)
  expect(required).toEqual(['jsonrpc', 'method'])
  expect(schemas.ReadRequest.required).toEqual(['jsonrpc', 'method', 'params'])
  expect(schemas.ListRequest.required).toEqual(['jsonrpc', 'method'])
})
