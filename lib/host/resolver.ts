/**
 * A drop-in for a host that has its own resolver interface: the same two methods with the same context, rejecting with
 * the SDK's `McpError`, and a rate limit that does nothing because the service throttles.
 */
import {
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js'
import { type FileResolverClient, listMethod, readMethod } from './client.ts'
import { type ConnectionOptions, createConnection } from './connection.ts'
import { FileResolverError, transportFailure } from './errors.ts'

/** For which connection a call is; it comes from the host's session, never from a request. */
export interface HostResourceContext {
  workspaceId: string
  bundleId: string
}

/** What a list may ask for. */
export interface HostListParams {
  cursor?: string | undefined
  filter?: unknown
}

/** The host's resolver interface. */
export interface HostResourcesResolver {
  read(uri: string, context: HostResourceContext): Promise<ReadResourceResult>
  list(params: HostListParams, context: HostResourceContext): Promise<ListResourcesResult>
}

/** How the drop-in is built: limits as for a connection. */
export interface ResolverOptions
  extends Pick<ConnectionOptions, 'currentUser' | 'maxReadBytes' | 'maxFrameBytes' | 'onFailure'> {
  readonly resolver: FileResolverClient
}

/** Builds the resolver that a host puts in place of its own. */
export function createHostResourcesResolver(options: ResolverOptions): HostResourcesResolver {
  async function call(method: string, params: object, { workspaceId, bundleId }: HostResourceContext) {
    try {
      return await createConnection({ ...options, workspaceId, serverId: bundleId }).serve(method, params)
    } catch (error) {
      throw error instanceof FileResolverError ? mcpError(error) : error
    }
  }

  return {
    async read(uri, context) {
      const result = await call(readMethod, { uri }, context)
      if (isReadResult(result)) return result
      throw mcpError(transportFailure('Internal error'))
    },
    async list({ cursor, filter }, context) {
      const params = {
        ...(cursor === undefined ? {} : { cursor }),
        ...(filter === undefined ? {} : { _meta: { filter } }),
      }
      const result = await call(listMethod, params, context)
      if (isListResult(result)) return result
      throw mcpError(transportFailure('Internal error'))
    },
  }
}

/** The host's rate-limit interface, which lets every call through: the service answers -32004 itself. */
export const noRateLimit = {
  check(_workspaceId: string, _bundleId: string): void {},
} as const

/** The same failure as the SDK's class; `transport` and `cause` go with it. */
function mcpError(failure: FileResolverError): McpError {
  const { code, message, data, transport } = failure
  return Object.assign(new McpError(code, message, data), { transport, cause: failure })
}

/** The SDK's own schemas would check megabytes of base64 again. */
function isReadResult(result: object): result is ReadResourceResult {
  return 'contents' in result && Array.isArray(result.contents)
}

function isListResult(result: object): result is ListResourcesResult {
  return 'resources' in result && Array.isArray(result.resources)
}
