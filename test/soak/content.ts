/**
 * Bytes that follow from a file's id, so that a model need not keep them.
 */
import { createHash } from 'node:crypto'

const sizes = [0, 1, 100, 5_000, 5_000, 5_000, 60_000, 70_000, 300_000]

/** A size for a draw in [0, 1): mostly small ones, some that are streamed. */
export function drawSize(draw: number): number {
  return draw > 0.995 ? 2_000_000 : (sizes[Math.floor(draw * sizes.length)] ?? 0)
}

/** The bytes of a file: ASCII, so that text and blob can hold them. */
export function bytesOf(fileId: string, size: number): Buffer {
  return Buffer.alloc(size, `${createHash('sha256').update(fileId).digest('hex')} "quoted"\n`)
}
