/**
 * What fuzzing has found so far, as fast-check replays it.
 */

/** One failure: which target, and how to come to it. */
export interface Finding {
  readonly target: string
  readonly seed: number
  readonly path: string
}

/** Each was a fault once, and is cured. */
export const findings: readonly Finding[] = []
