/**
 * The adapter for `@modelcontextprotocol/sdk` 1.x, which negotiates no revision from 2026-07-28 on. At run time it needs
 * neither the SDK nor zod: each 1.x takes a request schema by its shape.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { AnyObjectSchema } from '@modelcontextprotocol/sdk/server/zod-compat.js'
import { listMethod, readMethod } from './client.ts'
import { type ConnectionOptions, createConnection, type FileHost } from './connection.ts'

/** What is used of a 1.x client. */
export type Sdk1Client = Pick<Client, 'setRequestHandler' | 'registerCapabilities' | 'connect'>

/** Builds the host side of one connection, for clients of SDK 1.x. */
export function createFileHost(options: ConnectionOptions): FileHost<Sdk1Client> {
  const connection = createConnection(options)
  const attached = new WeakSet<Sdk1Client>()

  return {
    extensions: connection.extensions,
    async attach(client) {
      for (const method of [readMethod, listMethod]) {
        client.setRequestHandler(requestSchema(method), (request, { signal }) =>
          connection.serve(method, paramsOf(request), signal),
        )
      }
      client.registerCapabilities({ extensions: await connection.extensions() })
      if (attached.has(client)) return
      attached.add(client)
      const connect = client.connect.bind(client)
      client.connect = (transport, connectOptions) => connect(connection.through(transport), connectOptions)
    },
  }
}

/** Matches the method and lets every parameter through: the service is who validates, with its own error data. */
function requestSchema(method: string): AnyObjectSchema {
  const schema: unknown = {
    shape: { method: { value: method } },
    parse: (request: unknown) => request,
    safeParse: (request: unknown) => ({ success: true, data: request }),
  }
  return schema as AnyObjectSchema
}

function paramsOf(request: object): unknown {
  return 'params' in request ? request.params : undefined
}
