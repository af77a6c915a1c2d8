// The readers/writer lock that makes transactions invisible until they are whole: ordinary calls share it,
// transactions hold it alone. Strictly first come, first served, so neither side can starve the other.

/** Runs `work` while the lock is held, and lets go of it however `work` ends. */
export interface Lock {
  shared<T>(work: () => Promise<T>): Promise<T>
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

interface Waiter {
  alone: boolean
  enter: () => void
}

/** Creates a fair readers/writer lock. */
export function createLock(): Lock {
  const waiting: Waiter[] = []
  let sharers = 0
  let held = false

  function admit(): void {
    for (let next = waiting[0]; next && !held && !(next.alone && sharers > 0); next = waiting[0]) {
      waiting.shift()
      if (next.alone) held = true
      else sharers++
      next.enter()
    }
  }

  async function hold<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      waiting.push({ alone, enter })
      admit()
    })
    try {
      return await work()
    } finally {
      if (alone) held = false
      else sharers--
      admit()
    }
  }

  return {
    shared: (work) => hold(false, work),
    exclusive: (work) => hold(true, work),
  }
}
