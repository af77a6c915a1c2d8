/**
 * What to make of -32004. Draft protocol builds used the number for something else, so the shape of `data` decides;
 * and no figure from the wire may become a busy loop or an hour of sleep.
 */
import { errorCodes } from './errors.ts'

/** True for an error, of any SDK, that says "rate limited": -32004 with a positive whole `retryAfterMs`. */
export function isRateLimited(error: unknown): boolean {
  if (!isObject(error) || error.code !== errorCodes.rateLimited) return false
  const delayMs = retryAfterOf(error)
  return typeof delayMs === 'number' && Number.isSafeInteger(delayMs) && delayMs > 0
}

/** Milliseconds to wait before such a call is worth repeating, never below `floorMs` or above `ceilingMs`. */
export function retryAfterMs(error: unknown, floorMs = 50, ceilingMs = 30_000): number {
  const delayMs = isObject(error) ? retryAfterOf(error) : undefined
  if (typeof delayMs !== 'number' || Number.isNaN(delayMs)) return floorMs
  return Math.min(ceilingMs, Math.max(floorMs, Math.ceil(delayMs)))
}

function retryAfterOf(error: Record<string, unknown>): unknown {
  return isObject(error.data) ? error.data.retryAfterMs : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
