// A view in the shape that dynalite's actions expect of their store: callbacks, one part for the items of each
// table and for the rows of each index. In `single` mode an action's item is locked, and writing it commits, with
// the index rows that dynalite writes just before it. In `whole` mode the caller is alone and commits at the end.

import type { Range } from './disk.ts'
import { isRecord } from './errors.ts'
import { streamRows } from './rows.ts'
import { findTable, readTable } from './tables.ts'
import { tablePrefix, type View } from './view.ts'

/** How writes become real: each item by itself, or all together when the caller commits. */
export type Mode = 'single' | 'whole'

/** dynalite's store over one request's view. */
export type Store = ReturnType<typeof createStore>

type Done = (error?: unknown, value?: unknown) => void
type Leave = (done: Done) => Done

// dynalite keeps a table in a passing state for at least one turn of the event loop; no longer is needed here.
const limits = { maxItemSize: 409_600, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }

/** The start of the keys of a table's items. */
export function itemPrefix(tableName: string): string {
  return `item-${tableName}~`
}

/** The keys under `prefix`, narrowed by a range of keys without it. */
export function within(prefix: string, range: Range = {}): Range {
  const { gt, gte, lt, lte, ...rest } = range
  const lower = gte !== undefined ? { gte: prefix + gte } : { gt: prefix + (gt ?? '') }
  const upper = lte !== undefined ? { lte: prefix + lte } : { lt: prefix + (lt ?? '\uffff') }
  return { ...rest, ...lower, ...upper }
}

/** Creates the store that an action of dynalite works on. */
export function createStore(view: View, mode: Mode) {
  const { disk, latches } = view.shared

  /** Tells dynalite once `work` is done; what its callback throws then reaches the view and not the process. */
  function settle(work: Promise<void>, done: Done): void {
    work.then(() => done(null), done).catch(view.onThrow)
  }

  function part(prefix: string, isIndex = false) {
    function written(done: Done): void {
      if (isIndex || mode === 'whole') done(null)
      else settle(view.commit(), done)
    }
    return {
      get(key: string, done: Done): void {
        const value = view.get(prefix + key)
        if (isRecord(value)) view.lastItem = value
        done(null, value)
      },
      put(key: string, value: unknown, done: Done): void {
        view.set(prefix + key, value)
        written(done)
      },
      del(key: string, done: Done): void {
        view.set(prefix + key, undefined)
        written(done)
      },
      batch(writes: { type: string; key: string; value?: unknown }[], done: Done): void {
        for (const { type, key, value } of writes) view.set(prefix + key, type === 'del' ? undefined : value)
        written(done)
      },
      lock(key: string, enter: (leave: Leave) => void): void {
        if (mode === 'whole') {
          enter((done) => done)
          return
        }
        latches(prefix + key, (leave) => {
          view.leaves.add(leave)
          const leaveThen: Leave = (done) => (error, value) => {
            leave()
            done(error, value)
          }
          // Whoever had to wait is called out of nowhere: no caller would catch what dynalite throws.
          try {
            enter(leaveThen)
          } catch (error) {
            view.onThrow(error)
          }
        })
      },
      createKeyStream: (range?: Range) =>
        streamRows(disk.keys(within(prefix, range)), view.onThrow, (key) => key.slice(prefix.length)),
      createValueStream: (range?: Range) => streamRows(disk.values(within(prefix, range)), view.onThrow),
    }
  }

  function indexPrefix(kind: string, tableName: string, indexName: string): string {
    return `index-${kind.toLowerCase()}~${tableName}~${indexName}~`
  }

  // dynalite asks with a callback alone for a table to work with, and with `false` for one in any state.
  function getTable(name: string, ...[first, second]: [Done] | [boolean, Done]): void {
    const table = typeof first === 'function' ? findTable(view, name) : readTable(view, name)
    const done = typeof first === 'function' ? first : second
    done?.(null, table)
  }

  return {
    options: limits,
    tableDb: { ...part(tablePrefix), awsAccountId: '000000000000', awsRegion: 'us-east-1' },
    getItemDb: (name: string) => part(itemPrefix(name)),
    getIndexDb: (kind: string, table: string, index: string) => part(indexPrefix(kind, table, index), true),
    getTagDb: (name: string) => part(`tag-${name}~`),
    deleteItemDb: (name: string, done: Done) => settle(disk.clear(within(itemPrefix(name))), done),
    deleteTagDb: (name: string, done: Done) => settle(disk.clear(within(`tag-${name}~`)), done),
    deleteIndexDb: (kind: string, table: string, index: string, done: Done) =>
      settle(disk.clear(within(indexPrefix(kind, table, index))), done),
    getTable,
  }
}
