/**
 * The `_meta` keys that a host keeps to itself. A key on a result is a claim by the server that sent it, so before a
 * host acts on one it removes the server's copy, wherever MCP allows `_meta`.
 */

/** Every key that begins with it belongs to the namespace; some are extensions that a server may use. */
export const reservedPrefix = 'ai.nimblebrain/'

/** Keys that the host alone sets. */
export const reservedKeys = {
  /** On a result of the host's own tools: it made no progress, which the loop guard counts. */
  nonAdvancing: 'ai.nimblebrain/non-advancing',
  /** On a result: the call failed in transport and never reached the tool, so the loop guard does not count it. */
  infraError: 'ai.nimblebrain/infra-error',
  /** On a result of the skill-loading tool: the guidance was delivered in this run and is not delivered twice. */
  skillActivated: 'ai.nimblebrain/skill-activated',
  /** On a result of the skill-muting tool: the skill is muted for the rest of the conversation. */
  skillSuppression: 'ai.nimblebrain/skill-suppression',
  /** On a request at the host's MCP endpoint, for one hop: the server that it is for. */
  source: 'ai.nimblebrain/source',
} as const

/** What to remove. */
export interface StripOptions {
  /** Every key under the prefix, not only the reserved ones. */
  readonly all?: boolean
}

const reserved: ReadonlySet<string> = new Set(Object.values(reservedKeys))

/** Free-form members, in which `_meta` is data of the tool and not MCP's. */
const opaque: ReadonlySet<string> = new Set(['structuredContent', 'inputSchema', 'outputSchema', 'arguments'])

/** Twice as deep as MCP has `_meta` anywhere; a server may nest what it sends without end. */
const maxDepth = 16

/** The result without reserved keys; the input stays as it is, and what has none of them is shared, not copied. */
export function stripReservedMeta<T>(result: T, options: StripOptions = {}): T {
  const isStripped = (key: string) => (options.all ? key.startsWith(reservedPrefix) : reserved.has(key))
  return strip(result, isStripped, maxDepth)
}

function strip<T>(value: T, isStripped: (key: string) => boolean, depth: number): T {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  let changed = false
  const entries = Object.entries(value).map(([key, member]: [string, unknown]) => {
    const kept = clean(key, member, isStripped, depth)
    changed ||= kept !== member
    return [key, kept] as const
  })
  if (!changed) return value
  const copy = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))
  return Object.defineProperties(copy, descriptorsOf(entries))
}

function clean(key: string, member: unknown, isStripped: (key: string) => boolean, depth: number): unknown {
  if (key === '_meta') return withoutKeys(member, isStripped)
  return opaque.has(key) ? member : strip(member, isStripped, depth - 1)
}

function withoutKeys(meta: unknown, isStripped: (key: string) => boolean): unknown {
  if (typeof meta !== 'object' || meta === null || !Object.keys(meta).some(isStripped)) return meta
  return Object.defineProperties({}, descriptorsOf(Object.entries(meta).filter(([key]) => !isStripped(key))))
}

/** Own properties, so that a member named `__proto__` stays a member. */
function descriptorsOf(entries: readonly (readonly [string, unknown])[]): PropertyDescriptorMap {
  const descriptor = (value: unknown) => ({ value, writable: true, enumerable: true, configurable: true })
  return Object.fromEntries(entries.map(([key, value]) => [key, descriptor(value)]))
}
