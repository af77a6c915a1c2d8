/**
 * Byte ranges (RFC 9110, 14.1.2). S3 serves one range; anything else that the header may hold is ignored.
 */
import { S3Error } from './errors.ts'

/** The first and the last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** The range to serve of an object of that size, nothing for all of it, or 416. */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start <= end) return { start, end }
  throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable', {
    'content-range': `bytes */${size}`,
  })
}
