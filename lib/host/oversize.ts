/**
 * An answer that the other end would not take. An HTTP server, or a proxy before it, refuses a long body with 413, and
 * the server would wait for an answer without end; so it gets -32005 in its place. Stdio tells nothing: see ceilings.
 */
import { httpCeilings } from './ceilings.ts'
import { errorCodes } from './errors.ts'

/** A transport's outgoing side. */
export interface Outgoing<Message, Options> {
  send(message: Message, options?: Options): Promise<void>
}

/** What was served, and may turn out too large. */
export interface Served {
  readonly uri: string | undefined
  /** Size of the message. */
  readonly bytes: number
}

/** Watches what was served on its way out. */
export interface Oversize {
  /** Remembers a result until it has left. */
  note(result: object, served: Served): void
  /** The transport itself, with refused answers replaced. */
  through<Message extends object, Options, T extends Outgoing<Message, Options>>(transport: T): T
}

/** Builds the watch of one connection. */
export function createOversize(): Oversize {
  const noted = new WeakMap<object, Served>()
  const transports = new WeakSet<object>()

  function replacement<Message extends object>(message: Message, error: unknown): Message | undefined {
    if (!('result' in message) || typeof message.result !== 'object' || message.result === null)
      return undefined
    const served = noted.get(message.result)
    if (!served || !isTooLarge(error)) return undefined
    const { result: _, ...envelope } = message
    const { uri, bytes: size } = served
    const data = { ...(uri === undefined ? {} : { uri }), size, maxSize: likelyLimit(size) }
    const refusal = {
      code: errorCodes.tooLarge,
      message: 'Response too large: the server refused the message',
      data,
    }
    return Object.assign(envelope, { error: refusal }) as unknown as Message
  }

  return {
    note: (result, served) => void noted.set(result, served),
    through(transport) {
      if (transports.has(transport)) return transport
      transports.add(transport)
      const send = transport.send.bind(transport)
      transport.send = async (message, options) => {
        try {
          await send(message, options)
        } catch (error) {
          const instead = replacement(message, error)
          if (!instead) throw error
          await send(instead, options)
        }
      }
      return transport
    },
  }
}

/** 413, as SDK 1.x (`code`) and 2.x (`status`) report it. */
function isTooLarge(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  return ('code' in error && error.code === 413) || ('status' in error && error.status === 413)
}

/** Nobody tells the true limit: what MCP servers take by default, if that explains the refusal. */
function likelyLimit(size: number): number {
  return Math.min(httpCeilings.maxFrameBytes, size - 1)
}
