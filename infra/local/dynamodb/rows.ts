// Feeds a cursor to dynalite as the stream that its queries read. Two things are better than in dynalite's own:
// rows come in blocks and not by a promise each, and the cursor is closed (dynalite's never are, so each query
// would keep its snapshot of the database until the end of the process).

import { Stream } from 'node:stream'
import type { Cursor } from './disk.ts'

const blockRows = 128

/** A stream of `cursor`'s rows, each as `shape` makes it; `destroy` stops it, and what a listener throws goes to `onThrow`. */
export function streamRows<T>(
  cursor: Cursor<T>,
  onThrow: (error: unknown) => void,
  shape: (row: T) => unknown = (row) => row,
): Stream {
  let stopped = false
  // The legacy class on purpose: dynalite listens to a modern stream in two ways and needs a workaround for it.
  const stream = Object.assign(new Stream(), {
    destroy: () => {
      stopped = true
    },
  })

  async function pump(): Promise<void> {
    for (let block = await cursor.nextv(blockRows); block.length > 0; block = await cursor.nextv(blockRows)) {
      for (const row of block) {
        if (stopped) return
        stream.emit('data', shape(row))
      }
      if (stopped) return
    }
    stream.emit('end')
  }

  pump()
    .finally(() => cursor.close())
    .catch(onThrow)
  return stream
}
