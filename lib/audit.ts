/**
 * The audit trail: one line in the log for each call that was decided, with who asked, what came of it, and the id by
 * which the host can find it again. Identifiers only: no token, no URI, no body, no name of a file.
 */
import { randomUUID } from 'node:crypto'
import type { Caller } from './access.ts'
import type { Log } from './log.ts'

/** What is known of a call at its end. */
export interface Ended {
  readonly method: string
  readonly outcome: string
  readonly bytes: number
}

/** The line of one call while it is written: who and which file are added as they become known. */
export interface Trail {
  by(caller: Caller): void
  about(fileId: string | undefined): void
  /** Writes the line. */
  end(call: Ended): void
}

/** Begins the line of a call; `now` is epoch milliseconds. */
export function beginTrail(log: Log, requestId: string, now: () => number = Date.now): Trail {
  const began = now()
  let caller: Caller | undefined
  let fileId: string | undefined

  return {
    by(known) {
      caller = known
    },
    about(known) {
      fileId = known
    },
    end({ method, outcome, bytes }) {
      log('info', 'decision', {
        requestId,
        ...(caller && { workspace: caller.workspaceId, user: caller.userId, server: caller.serverId }),
        method,
        ...(fileId === undefined ? {} : { fileId }),
        outcome,
        bytes,
        latencyMs: Math.max(0, now() - began),
      })
    },
  }
}

/** The id of a request: the host's own if it is 1–128 letters, digits or `._:/+=-`, otherwise a new one. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[\w.:/+=-]{1,128}$/.test(header) ? header : randomUUID()
}
