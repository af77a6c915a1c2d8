/**
 * The adapter for `@modelcontextprotocol/client` 2.x. It serves connections older than 2026-07-28 only: from that
 * revision on a server cannot ask a client, so nothing is advertised there.
 */
import type { Client } from '@modelcontextprotocol/client'
import { listMethod, readMethod } from './client.ts'
import { type ConnectionOptions, createConnection, type FileHost } from './connection.ts'
import { errorCodes, FileResolverError } from './errors.ts'
import { createWire } from './wire.ts'

/** What is used of a 2.x client. */
export type Sdk2Client = Pick<Client, 'setRequestHandler' | 'connect' | 'getNegotiatedProtocolVersion'>

/** First revision without requests from the server to the client. */
const firstModernRevision = '2026-07-28'

/** Builds the host side of one connection, for clients of SDK 2.x. */
export function createFileHost(options: ConnectionOptions): FileHost<Sdk2Client> {
  const connection = createConnection(options)
  const wire = createWire()
  const attached = new WeakSet<Sdk2Client>()

  async function serve(client: Sdk2Client, method: string, params: unknown, signal: AbortSignal) {
    if ((client.getNegotiatedProtocolVersion() ?? '') >= firstModernRevision) {
      throw new FileResolverError(errorCodes.unknownMethod, 'Method not found')
    }
    try {
      return await connection.serve(method, params, signal)
    } catch (error) {
      throw wire.keepCode(error)
    }
  }

  return {
    extensions: connection.extensions,
    async attach(client) {
      wire.advertise(await connection.extensions())
      for (const method of [readMethod, listMethod]) {
        client.setRequestHandler(method, { params: anything }, (params, { mcpReq }) =>
          serve(client, method, params, mcpReq.signal),
        )
      }
      if (attached.has(client)) return
      attached.add(client)
      const connect = client.connect.bind(client)
      client.connect = (transport, connectOptions) =>
        connect(wire.through(connection.through(transport)), connectOptions)
    },
  }
}

/** Lets every parameter through: the service is who validates, with its own error data. */
const anything = {
  '~standard': { version: 1, vendor: 'file-resolver', validate: (value: unknown) => ({ value }) },
} as const
