/**
 * The capability that a connection advertises: the service's own, else the last one it gave, else a configured one. A
 * blip while a server starts must not leave that server without files for the life of its connection.
 */
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
  /** Asks the service; may fail, and may answer anything. */
  readonly ask: () => Promise<unknown>
  /** Used until the service has answered once. */
  readonly configured: Capability | undefined
  readonly now: () => number
  /** How long an answer is used before the service is asked again. */
  readonly freshMs?: number
}

/** Builds a source; one for all connections, so that each profits from what the service told another. */
export function createCapabilitySource(options: CapabilityOptions): CapabilitySource {
  const { ask, now, freshMs = 60_000 } = options
  let last = options.configured ?? defaultCapability
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function refresh(): Promise<void> {
    try {
      const answer = await ask()
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
      asking ??= refresh()
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
