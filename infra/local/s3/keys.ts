/**
 * The keys of a bucket in S3's order: by their UTF-8 bytes, which is code point order. The order is kept, not made anew
 * for each page: changes wait in a map and are worked in when somebody looks.
 */
const fewChanges = 32

/** The sorted keys of a bucket. */
export interface KeyIndex {
  add(key: string): void
  remove(key: string): void
  sorted(): readonly string[]
}

/** An empty index. */
export function createKeyIndex(): KeyIndex {
  let keys: string[] = []
  const pending = new Map<string, boolean>()

  function spliceIn(key: string, present: boolean): void {
    const at = lowerBound(keys, key)
    const found = keys[at] === key
    if (present && !found) keys.splice(at, 0, key)
    if (!present && found) keys.splice(at, 1)
  }

  function mergeIn(): void {
    const added = [...pending.keys()].filter((key) => pending.get(key)).sort(compareKeys)
    const kept = keys.filter((key) => !pending.has(key))
    const merged: string[] = []
    let next = 0
    for (const key of kept) {
      for (let other = added[next]; other !== undefined && compareKeys(other, key) < 0; other = added[next]) {
        merged.push(other)
        next++
      }
      merged.push(key)
    }
    keys = merged.concat(added.slice(next))
  }

  return {
    add: (key) => void pending.set(key, true),
    remove: (key) => void pending.set(key, false),
    sorted() {
      if (pending.size <= fewChanges) for (const [key, present] of pending) spliceIn(key, present)
      else mergeIn()
      pending.clear()
      return keys
    },
  }
}

/** Orders two keys by code point, which is the order of their UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** The index of the first key that is not before `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  return firstIndex(keys, (other) => compareKeys(other, key) >= 0)
}

/** The index of the first key that is after `prefix` and everything that begins with it. */
export function afterPrefix(keys: readonly string[], prefix: string): number {
  return firstIndex(keys, (other) => compareKeys(other, prefix) > 0 && !other.startsWith(prefix))
}

function firstIndex(keys: readonly string[], holds: (key: string) => boolean): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(keys[middle] ?? '')) high = middle
    else low = middle + 1
  }
  return low
}

/** Surrogates stand for code points above U+FFFF, so they go behind U+E000–U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
