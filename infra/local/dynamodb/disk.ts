// Where the rows are: one LevelDB in a directory, or its twin in memory. LevelDB writes a batch as one record of
// its log, so a batch is there as a whole or not at all, even when the process is killed in the middle of it.

import { createRequire } from 'node:module'

/** One write: a value, or `undefined` to delete the row. */
export type Write = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

/** A key range as LevelDB understands it; `limit` -1 means no limit. */
export interface Range {
  gt?: string
  gte?: string
  lt?: string
  lte?: string
  reverse?: boolean
  limit?: number
}

/** A cursor over a snapshot of the rows; it holds the snapshot until it is closed. */
export interface Cursor<T> {
  nextv(size: number): Promise<T[]>
  all(): Promise<T[]>
  close(): Promise<void>
}

/** The sorted map of keys to JSON values that everything is kept in. */
export interface Disk {
  open(): Promise<void>
  close(): Promise<void>
  getSync(key: string): unknown
  batch(writes: Write[]): Promise<void>
  clear(range: Range): Promise<void>
  keys(range: Range): Cursor<string>
  values(range: Range): Cursor<unknown>
  iterator(range: Range): Cursor<[key: string, value: unknown]>
  /** Opens the rows anew if a write has failed. Nobody else may use them meanwhile. */
  mend(): Promise<void>
  /** Whether a write has failed since the rows were opened; every further one is refused until they are mended. */
  isTorn(): boolean
}

type Rows = Omit<Disk, 'mend' | 'isTorn'>

interface Levels {
  Level: new (dir: string, options: object) => Rows
  MemoryLevel: new (options: object) => Rows
}

/** Opens the rows in `dir`, or in memory when there is none; refuses a directory that is already open. */
export async function openDisk(dir?: string): Promise<Disk> {
  // The very LevelDB that dynalite depends on, found from where dynalite is installed.
  const load = createRequire(createRequire(import.meta.url).resolve('dynalite'))
  const { Level, MemoryLevel }: Levels = { ...load('level'), ...load('memory-level') }
  const options = { keyEncoding: 'utf8', valueEncoding: 'json' }
  const rows = dir === undefined ? new MemoryLevel(options) : new Level(dir, options)
  try {
    await rows.open()
  } catch (error) {
    if (isLocked(error)) throw new Error(`Another local DynamoDB has ${dir} open`, { cause: error })
    throw new Error(`The local DynamoDB in ${dir} cannot be opened: ${reasonOf(error)}`, { cause: error })
  }
  return mendable(rows)
}

// A disk that is full takes half a record. LevelDB would go on behind it, and the next start forget what is there.
function mendable(rows: Rows): Disk {
  let torn = false

  function whole<Args extends unknown[]>(write: (...args: Args) => Promise<void>) {
    return async (...args: Args): Promise<void> => {
      if (torn) throw new Error('An earlier write has failed')
      try {
        await write(...args)
      } catch (error) {
        torn = true
        throw error
      }
      if (torn) throw new Error('A write beside this one has failed')
    }
  }

  return Object.assign(rows, {
    batch: whole(rows.batch.bind(rows)),
    clear: whole(rows.clear.bind(rows)),
    isTorn: () => torn,
    async mend() {
      if (!torn) return
      await rows.close()
      await rows.open()
      torn = false
    },
  })
}

// LevelDB locks its directory with the kernel's help: a killed process leaves no stale lock behind.
function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
}

// "Database failed to open" is all that the error itself says.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
