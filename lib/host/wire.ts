/**
 * What SDK 2.x cannot be told through its own interface, done where messages leave: the capability goes into the
 * `initialize` request and nowhere else, and -32002, which the SDK turns into -32602, leaves as it was thrown.
 */
import { type Capability, extensionKey } from './capability.ts'
import { errorCodes, FileResolverError } from './errors.ts'
import type { Outgoing } from './oversize.ts'

const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

/** What leaves on the connections of one host side. */
export interface Wire {
  /** The capability of `initialize` requests from now on. */
  advertise(extensions: { [extensionKey]: Capability }): void
  /** Remembers that this error must keep its number; gives it back to be thrown. */
  keepCode(error: unknown): unknown
  /** The transport itself, with all that leaves it looked at. */
  through<Message extends object, Options, T extends Outgoing<Message, Options>>(transport: T): T
}

/** Builds the wire of one host side. */
export function createWire(): Wire {
  const transports = new WeakSet<object>()
  const missing = new WeakSet<object>() // the `data` of each -32002: the SDK hands it on as it is
  let extensions: object = {}

  function amended<Message extends object>(message: Message): Message {
    if ('error' in message && isObject(message.error)) {
      const { data } = message.error
      if (!isObject(data) || !missing.has(data)) return message
      return { ...message, error: { ...message.error, code: errorCodes.notFound } }
    }
    if (!('params' in message && isObject(message.params))) return message
    const { params } = message
    if ('method' in message && message.method === 'initialize') {
      return {
        ...message,
        params: { ...params, capabilities: withExtensions(params.capabilities, extensions) },
      }
    }
    const meta = params._meta
    if (!isObject(meta) || !isObject(meta[clientCapabilitiesKey])) return message
    const capabilities = withoutExtension(meta[clientCapabilitiesKey])
    return { ...message, params: { ...params, _meta: { ...meta, [clientCapabilitiesKey]: capabilities } } }
  }

  return {
    advertise(given) {
      extensions = given
    },
    keepCode(error) {
      if (!(error instanceof FileResolverError) || error.code !== errorCodes.notFound) return error
      const { code, message, data = {}, cause } = error
      missing.add(data)
      return error.data ? error : new FileResolverError(code, message, { data, cause })
    },
    through(transport) {
      if (transports.has(transport)) return transport
      transports.add(transport)
      const send = transport.send.bind(transport)
      transport.send = (message, options) => send(amended(message), options)
      return transport
    },
  }
}

function withExtensions(capabilities: unknown, extensions: object): object {
  const given = isObject(capabilities) ? capabilities : {}
  return { ...given, extensions: { ...(isObject(given.extensions) ? given.extensions : {}), ...extensions } }
}

function withoutExtension(capabilities: Record<string, unknown>): object {
  if (!isObject(capabilities.extensions)) return capabilities
  const { [extensionKey]: _, ...extensions } = capabilities.extensions
  return { ...capabilities, extensions }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
