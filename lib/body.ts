/**
 * Response bodies that are made chunk by chunk. A front (Node's server, Lambda) that recognises one writes its chunks
 * straight to the socket; for everybody else the response is an ordinary one with a web stream.
 */
import type { Writable } from 'node:stream'
import type { Chunk } from './encode.ts'

const sources = new WeakMap<ReadableStream, AsyncGenerator<Chunk>>()

/** A web stream of the chunks, for a `Response`. */
export function streamOf(chunks: AsyncGenerator<Chunk>): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await nextBytes(chunks)
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  sources.set(stream, chunks)
  return stream
}

/** The next bytes that are not none: a stream's pull must give something. */
async function nextBytes(chunks: AsyncGenerator<Chunk>): Promise<IteratorResult<Uint8Array>> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return { done, value }
    if (value.length > 0) return { value: typeof value === 'string' ? Buffer.from(value, 'latin1') : value }
  }
}

/** The chunks of a response whose body `streamOf` made, otherwise undefined. */
export function chunksOf(response: Response): AsyncGenerator<Chunk> | undefined {
  return response.body ? sources.get(response.body) : undefined
}

/**
 * Writes the chunks in order, each only when the sink has room again, so that a slow reader holds back the source
 * and not memory. What comes in one turn of the event loop leaves in one system call: a small answer is a single one.
 * Resolves when all are handed over, or when the sink has gone or `stop` aborts; the source is given up then.
 */
export async function pump(chunks: AsyncGenerator<Chunk>, sink: Writable, stop?: AbortSignal): Promise<void> {
  const isOver = () => sink.destroyed || stop?.aborted
  let isCorked = false
  const uncork = () => {
    isCorked = false
    sink.uncork()
  }
  for await (const chunk of chunks) {
    if (isOver()) return
    if (!isCorked) {
      isCorked = true
      sink.cork()
      setImmediate(uncork)
    }
    const hasRoom = typeof chunk === 'string' ? sink.write(chunk, 'latin1') : sink.write(chunk)
    if (!hasRoom && !isOver()) await drained(sink, stop)
    if (isOver()) return
  }
}

function drained(sink: Writable, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sink.off('drain', done)
      sink.off('close', done)
      stop?.removeEventListener('abort', done)
      resolve()
    }
    sink.on('drain', done)
    sink.on('close', done)
    stop?.addEventListener('abort', done)
  })
}
