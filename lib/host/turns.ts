/**
 * Whose tool runs, for connections that cannot tell: over stdio an inbound request comes out of a pipe that serves every
 * call. So calls of one user run together, and those of another wait until they have ended.
 */

/** The turns of one connection. */
export interface Turns {
  /** Runs a tool call for the user, as soon as no other user's call is running. */
  run<T>(userId: string, call: () => Promise<T>): Promise<T>
  /** The user whose calls are running; to be given as `currentUser`. */
  currentUser(): string | undefined
}

/** Builds the turns of one connection; users are served in the order in which they came. */
export function createTurns(): Turns {
  const waiting: { userId: string; start: () => void }[] = []
  let user: string | undefined
  let running = 0

  function next(): void {
    user = waiting[0]?.userId
    while (waiting[0] && waiting[0].userId === user) {
      running += 1
      waiting.shift()?.start()
    }
  }

  async function enter(userId: string): Promise<void> {
    const mayJoin = running === 0 || (user === userId && waiting.length === 0)
    if (!mayJoin) return new Promise((start) => waiting.push({ userId, start }))
    user = userId
    running += 1
  }

  return {
    currentUser: () => user,
    async run(userId, call) {
      await enter(userId)
      try {
        return await call()
      } finally {
        running -= 1
        if (running === 0) next()
      }
    },
  }
}
