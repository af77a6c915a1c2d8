// One writer at a time for one item: a single write reads the item, evaluates its condition and writes, and no
// other single write of the same item may come between. Transactions need none of this, being alone altogether.

/** Calls `enter` once `key` is free; calling `leave` (any number of times) frees it for the next in line. */
export type Latches = (key: string, enter: (leave: () => void) => void) => void

/** Creates a set of latches, one for each key in use, first come, first served. */
export function createLatches(): Latches {
  const lines = new Map<string, ((leave: () => void) => void)[]>()

  function start(key: string, enter: (leave: () => void) => void): void {
    let left = false
    enter(() => {
      if (left) return
      left = true
      const next = lines.get(key)?.shift()
      if (!next) return void lines.delete(key)
      // A later turn, so that a long line of writers that fail at once does not pile up on the stack.
      queueMicrotask(() => start(key, next))
    })
  }

  return (key, enter) => {
    const line = lines.get(key)
    if (line) return void line.push(enter)
    lines.set(key, [])
    start(key, enter)
  }
}
