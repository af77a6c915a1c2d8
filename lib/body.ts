/**
 * Response bodies that a front (Node's server, Lambda) recognises and writes straight to its socket: whole bytes, or
 * chunks that are made as they are taken. For everybody else the response is an ordinary one with a web stream.
 */
import type { Writable } from 'node:stream'
import type { Chunk } from './encode.ts'

/** What an answer consists of. */
export type Body = Uint8Array<ArrayBuffer> | AsyncGenerator<Chunk>

const sources = new WeakMap<ReadableStream, Body>()

/** A web stream of the body, for a `Response`. */
export function streamOf(body: Body): ReadableStream<Uint8Array> {
  const chunks = body instanceof Uint8Array ? only(body) : body
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
  sources.set(stream, body)
  return stream
}

async function* only(bytes: Uint8Array): AsyncGenerator<Chunk> {
  yield bytes
}

/** The next bytes that are not none: a stream's pull must give something. */
async function nextBytes(chunks: AsyncGenerator<Chunk>): Promise<IteratorResult<Uint8Array>> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return { done, value }
    if (value.length > 0) return { value: bytesOf(value) }
  }
}

/** What `streamOf` made the response's body of, otherwise its bytes. */
export async function bodyOf(response: Response): Promise<Body> {
  if (!response.body) return new Uint8Array()
  return sources.get(response.body) ?? new Uint8Array(await response.arrayBuffer())
}

/**
 * Writes the chunks in order, each only when the sink has room again, so that a slow reader holds back the source
 * and not memory. Resolves when all are handed over, or when the sink has gone or `stop` aborts; the source is given
 * up then.
 */
export async function pump(chunks: AsyncGenerator<Chunk>, sink: Writable, stop?: AbortSignal): Promise<void> {
  const isOver = () => sink.destroyed || stop?.aborted
  for await (const chunk of chunks) {
    if (isOver()) return
    const hasRoom = typeof chunk === 'string' ? sink.write(chunk, 'latin1') : sink.write(chunk)
    if (!hasRoom && !isOver()) await drained(sink, stop)
    if (isOver()) return
  }
}

/** Answers that are no larger than this are gathered and sent whole. */
const gatherBytes = 65_536

/**
 * The whole bytes of a small answer, or the chunks of a larger one, of which the first few have been made. So a small
 * answer costs one system call and is known to be complete before its first byte.
 */
export async function gather(chunks: AsyncGenerator<Chunk>): Promise<Body> {
  const first: Chunk[] = []
  let length = 0
  while (length <= gatherBytes) {
    const { done, value } = await chunks.next()
    if (done) return Buffer.concat(first.map(bytesOf), length)
    first.push(value)
    length += value.length
  }
  return resume(first, chunks)
}

async function* resume(first: Chunk[], rest: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  try {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

function bytesOf(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk
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
