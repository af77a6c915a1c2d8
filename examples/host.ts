/**
 * A small MCP host: it connects servers and calls their tools for its users. All it does for files is marked.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createFileResolverClient } from 'file-resolver-host' // files
import type { Ceilings } from 'file-resolver-host/ceilings' // files
import { stripReservedMeta } from 'file-resolver-host/meta' // files
import { createFileHost } from 'file-resolver-host/sdk1' // files
import { createSigner } from 'file-resolver-host/token' // files
import { createTurns } from 'file-resolver-host/turns' // files
import type { JWK } from 'jose'
import { audience, issuer } from './service.ts'

/** One connected server. */
export interface Connection {
  callTool(userId: string, name: string, args: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

/** A host that lets servers read files from the service at `url`. */
export function createHost(url: string, signingKey: JWK) {
  const resolver = createFileResolverClient({ url, signer: createSigner(signingKey, issuer, audience) }) // files

  /** Connects a server of a workspace; `ceilings` is what its transport can carry. */
  return async function connect(
    workspaceId: string,
    serverId: string,
    transport: Transport,
    ceilings: Ceilings,
  ): Promise<Connection> {
    const { run, currentUser } = createTurns() // files
    const files = createFileHost({ resolver, workspaceId, serverId, currentUser, ...ceilings }) // files
    const client = new Client({ name: 'example-host', version: '1.0.0' })
    await files.attach(client) // files
    await client.connect(transport)
    return {
      async callTool(userId, name, args) {
        const result = await run(userId, () => client.callTool({ name, arguments: args }))
        const { content } = stripReservedMeta(result) // files
        const [first] = Array.isArray(content) ? content : []
        return String(first?.text)
      },
      close: () => client.close(),
    }
  }
}
