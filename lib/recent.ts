/**
 * A map that stays bounded: what was set longest ago is forgotten first.
 */

/** Up to `max` entries by key. */
export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** An empty map of at most `max` entries. */
export function createRecent<V>(max: number): Recent<V> {
  const entries = new Map<string, V>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= max) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
    delete: (key) => void entries.delete(key),
  }
}
