/**
 * What a host serves on one connection, whatever the SDK: it asks the resolver for the workspace and server that the
 * connection belongs to and the user of the moment. Nothing of that is ever taken from a request.
 */
import { type Capability, extensionKey, lowered } from './capability.ts'
import { type FileResolverClient, readMethod } from './client.ts'
import { errorCodes, FileResolverError, transportFailure } from './errors.ts'
import { fitFrame } from './frame.ts'
import { createOversize, type Oversize } from './oversize.ts'

/** One connection of a host. */
export interface ConnectionOptions {
  readonly resolver: FileResolverClient
  readonly workspaceId: string
  readonly serverId: string
  /** The user on whose behalf the server's tool is running now; asked anew for each inbound request. */
  readonly currentUser: () => string | undefined | Promise<string | undefined>
  /** Most bytes of a file that the connection can carry. */
  readonly maxReadBytes?: number
  /** Most bytes of one JSON-RPC message that the server's reader accepts. */
  readonly maxFrameBytes?: number
  /** Told of each failure, with its cause; `error.transport` tells an outage from a refusal. */
  readonly onFailure?: (error: FileResolverError, method: string) => void
}

/** What an adapter registers. */
export interface Connection {
  extensions(): Promise<{ [extensionKey]: Capability }>
  /** The result for an inbound request. Throws `FileResolverError`, fit for the wire. */
  serve(method: string, params: unknown, signal?: AbortSignal): Promise<Record<string, unknown>>
  /** The transport itself, with answers that it cannot carry replaced. */
  through: Oversize['through']
}

/** Serves files on every client object of one connection. */
export interface FileHost<Client> {
  /** Registers both methods and the capability on a client before it connects; anew for each rebuilt client. */
  attach(client: Client): Promise<void>
  /** The capability alone, as it goes into `capabilities.extensions`. */
  extensions: Connection['extensions']
}

/** Builds what a connection serves. */
export function createConnection(options: ConnectionOptions): Connection {
  const { resolver, workspaceId, serverId, maxReadBytes, maxFrameBytes } = options
  const oversize = createOversize()
  requireWhole({ maxReadBytes, maxFrameBytes })

  async function call(method: string, params: unknown, signal: AbortSignal | undefined) {
    const userId = await options.currentUser()
    if (!userId) throw transportFailure('the host knows no current user for this request')
    const limit = method === readMethod ? maxReadBytes : undefined
    const caller = { workspaceId, userId, serverId }
    const answer = await resolver.request(method, params, caller, { maxReadBytes: limit, signal })
    const uri = uriOf(method, params)
    if (maxFrameBytes !== undefined) fitFrame(answer, maxFrameBytes, uri)
    oversize.note(answer.result, { uri, bytes: answer.bytes })
    return answer.result
  }

  return {
    through: oversize.through,
    extensions: async () => ({ [extensionKey]: lowered(await resolver.capability(), maxReadBytes) }),
    async serve(method, params, signal) {
      try {
        return await call(method, params, signal)
      } catch (error) {
        const failure =
          error instanceof FileResolverError ? error : transportFailure('the host failed', error)
        options.onFailure?.(failure, method)
        throw failure.transport ? withoutDetail(failure) : failure
      }
    },
  }
}

/** What a server may know of an outage: no more than the service itself would tell (contract 1). */
function withoutDetail(failure: FileResolverError): FileResolverError {
  const message = failure.code === errorCodes.timedOut ? 'Request timed out' : 'Internal error'
  return new FileResolverError(failure.code, message, { transport: true, cause: failure })
}

function uriOf(method: string, params: unknown): string | undefined {
  if (method !== readMethod || typeof params !== 'object' || params === null || !('uri' in params))
    return undefined
  return typeof params.uri === 'string' ? params.uri : undefined
}

function requireWhole(limits: Record<string, number | undefined>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw new TypeError(`${name} must be a positive whole number of bytes`)
  }
}
