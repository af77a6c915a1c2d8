/**
 * Where bodies lie: one file a blob under a random name, or one buffer in memory. A blob that no journal entry names does
 * not exist for anybody, and is swept at the next start; so a broken upload leaves nothing.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

const chunkBytes = 65_536

/** A body being written; it may be read after `close`, and is gone after `discard`. */
export interface BlobWriter {
  id: string
  write(chunk: Buffer): Promise<void> | void
  close(): Promise<void>
  discard(): Promise<void>
}

/** Bodies by id. */
export interface Blobs {
  create(): Promise<BlobWriter>
  /** Opens bytes `start` to `end` (inclusive), or nothing when the blob has been removed. */
  open(id: string, start?: number, end?: number): Promise<Readable | undefined>
  remove(id: string): Promise<void>
  /** Removes every blob that `isLive` does not know. */
  sweep(isLive: (id: string) => boolean): Promise<void>
}

/** Bodies in memory. */
export function memoryBlobs(): Blobs {
  const buffers = new Map<string, Buffer>()
  return {
    async create() {
      const id = randomUUID()
      const chunks: Buffer[] = []
      return {
        id,
        write: (chunk) => void chunks.push(chunk),
        close: async () => void buffers.set(id, Buffer.concat(chunks)),
        discard: async () => void buffers.delete(id),
      }
    },
    async open(id, start = 0, end) {
      const buffer = buffers.get(id)
      return buffer && Readable.from(slices(buffer.subarray(start, end === undefined ? undefined : end + 1)))
    },
    async remove(id) {
      buffers.delete(id)
    },
    async sweep() {},
  }
}

/** Bodies in files under `dir`, in 256 folders so that none grows huge. */
export function diskBlobs(dir: string): Blobs {
  const shards = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
  for (const shard of shards) mkdirSync(join(dir, shard), { recursive: true })
  const pathOf = (id: string): string => join(dir, id.slice(0, 2), id)
  const remove = (id: string): Promise<void> => rm(pathOf(id), { force: true })
  return {
    async create() {
      const id = randomUUID()
      return fileWriter(id, await open(pathOf(id), 'wx'), remove)
    },
    async open(id, start = 0, end = Number.POSITIVE_INFINITY) {
      const stream = createReadStream(pathOf(id), { start, end, highWaterMark: chunkBytes })
      try {
        await once(stream, 'open')
        return stream
      } catch (cause) {
        if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
        throw cause
      }
    },
    remove,
    async sweep(isLive) {
      for (const shard of shards) {
        const names = await readdir(join(dir, shard))
        await Promise.all(names.filter((name) => !isLive(name)).map(remove))
      }
    },
  }
}

function fileWriter(id: string, handle: FileHandle, remove: (id: string) => Promise<void>): BlobWriter {
  let isOpen = true
  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await handle.close()
  }
  return {
    id,
    write: (chunk) => handle.appendFile(chunk),
    close,
    async discard() {
      await close()
      await remove(id)
    },
  }
}

function* slices(buffer: Buffer): Generator<Buffer> {
  for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes)
}
