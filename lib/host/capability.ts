/**
 * The capability that a connection advertises: the service's own, else the last one it gave, else a configured one. A
 * blip while a server starts must not leave that server without files for the life of its connection.
 */
import type { FileResolverClient } from './client.ts'

/** Key of the capability under `capabilities.extensions`. */
export const extensionKey = 'ai.nimblebrain/host-resources'

/** The capability's value, of which `read.maxSize` is in bytes. A type, for it goes where the SDKs want plain JSON. */
export type Capability = {
  read: { enabled: boolean; range: boolean; maxSize: number }
  list: { enabled: boolean }
  write: { enabled: boolean }
  schemes: string[]
}

/** What the service advertises when nobody configured it otherwise. */
export const defaultCapability: Capability = {
  read: { enabled: true, range: false, maxSize: 10_485_760 },
  list: { enabled: true },
  write: { enabled: false },
  schemes: ['files'],
}

/** Gives the present capability; never fails. */
export type CapabilitySource = () => Promise<Capability>

/** How a source is built. */
export interface CapabilityOptions {
  readonly resolver: Pick<FileResolverClient, 'document'>
  /** Used until the service has answered once. */
  readonly configured?: Capability
  /** How long an answer is used before the service is asked again. */
  readonly freshMs?: number
  /** Longest wait for the service. */
  readonly timeoutMs?: number
  readonly now?: () => number
}

/** Builds a source, to be shared by all connections. */
export function createCapabilitySource(options: CapabilityOptions): CapabilitySource {
  const { resolver, freshMs = 60_000, timeoutMs = 2_000, now = Date.now } = options
  let last = options.configured ?? defaultCapability
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    try {
      const answer = await resolver.document('capability', timeoutMs)
      if (!isCapability(answer)) return
      last = answer
      freshUntilMs = now() + freshMs
    } catch {
      // the last known one stands
    } finally {
      asking = undefined
    }
  }

  return async function capability() {
    if (now() >= freshUntilMs) {
      asking ??= ask()
      await asking
    }
    return last
  }
}

/** The capability of a connection that carries at most `maxReadBytes` of a file. */
export function lowered(capability: Capability, maxReadBytes: number | undefined): Capability {
  const { read } = capability
  return { ...capability, read: { ...read, maxSize: Math.min(read.maxSize, maxReadBytes ?? read.maxSize) } }
}

function isCapability(value: unknown): value is Capability {
  if (!isObject(value) || !isObject(value.read) || !isObject(value.list) || !isObject(value.write))
    return false
  const flags = [value.read.enabled, value.read.range, value.list.enabled, value.write.enabled]
  const { maxSize } = value.read
  const { schemes } = value
  return (
    flags.every((flag) => typeof flag === 'boolean') &&
    Number.isSafeInteger(maxSize) &&
    Array.isArray(schemes) &&
    schemes.every((scheme) => typeof scheme === 'string')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
