// What one request sees of the database. Its writes are held back, its reads see them, and a commit puts them all
// down in one LevelDB batch: whole or not at all, for other callers and for a process that is killed, so that
// nothing ever has to be undone. A view that is dropped uncommitted leaves no trace.

import type { Item, Table } from 'dynalite/db/index.js'
import type { Disk, Write } from './disk.ts'
import type { Latches } from './latch.ts'

/** What all requests share: the rows, the tables' definitions (read for each call), the items being written. */
export interface Shared {
  disk: Disk
  tables: Map<string, Table>
  latches: Latches
}

/** The database as one request sees it. */
export interface View {
  shared: Shared
  get(key: string): unknown
  /** Holds back one write; `undefined` deletes the row. */
  set(key: string, value: unknown): void
  commit(): Promise<void>
  /** The item that was last read for writing: the one that a condition was checked against. */
  lastItem: Item | undefined
  /** Told what dynalite throws in a callback, where no caller could catch it and the process would die. */
  onThrow: (error: unknown) => void
  /** Lets go of the items that an action holds, should it have failed before it did so itself. */
  leaves: Set<() => void>
}

/** The start of every key that holds a table's definition. */
export const tablePrefix = 'table~'

/** Creates the view of one request. */
export function createView(shared: Shared): View {
  const pending = new Map<string, unknown>()

  async function commit(): Promise<void> {
    if (pending.size === 0) return
    const writes = [...pending].map(
      ([key, value]): Write => (value === undefined ? { type: 'del', key } : { type: 'put', key, value }),
    )
    pending.clear()
    await shared.disk.batch(writes)
    for (const { key } of writes) {
      if (key.startsWith(tablePrefix)) shared.tables.delete(key.slice(tablePrefix.length))
    }
  }

  return {
    shared,
    get: (key) => (pending.has(key) ? pending.get(key) : shared.disk.getSync(key)),
    set: (key, value) => void pending.set(key, value),
    commit,
    lastItem: undefined,
    onThrow: () => {},
    leaves: new Set(),
  }
}
