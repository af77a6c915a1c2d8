/**
 * One JSON line for each thing worth knowing. Errors keep their causes here, since the wire shows none.
 */

/** Writes one structured line; `fields` must hold no token, body or file name. */
export type Log = (level: 'info' | 'warn' | 'error', event: string, fields?: Record<string, unknown>) => void

/** A log that writes its lines with `write`. */
export function createLog(write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    write(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }))
  }
}

/** An error and its causes, as one text. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = `${error.name}: ${error.message}`
  return error.cause === undefined ? text : `${text} ← ${describeError(error.cause)}`
}
