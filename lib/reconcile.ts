/**
 * Compares bucket and table and repairs every difference: two walks at once, one through the bucket for objects without
 * a file, one through the table for files without their object or their rows, page by page and so in bounded memory. It
 * never widens access, and brings back nothing that the host deleted.
 */
import * as z from 'zod/mini'
import { describeError, type Log } from './log.ts'
import { checkFiles, checkObjects } from './repair.ts'
import { checkRows, checkRowsOf } from './rows.ts'
import type { Difference, ReconcileStores, Work } from './work.ts'

/** What was walked, and each kind of difference: repaired, or only found in a dry run. */
export type Summary = Record<Difference | 'objects' | 'items' | 'failed', number> & {
  /** False when it was stopped before the end: the next walk of that name goes on from there. */
  done: boolean
}

/** How to reconcile; everything has a default. */
export interface ReconcileOptions {
  /** Only counts; writes nothing, not even where it is. */
  readonly dryRun?: boolean
  /** Under which name to remember where the walk is; without one it always begins anew. */
  readonly walk?: string | undefined
  /** Asked before each page. */
  readonly isOver?: () => boolean
  readonly onProgress?: (summary: Readonly<Summary>) => void
  readonly log?: Log
}

/** Null is the beginning. */
const Cursor = z.object({
  bucket: z.union([z.string(), z.null(), z.literal(false)]),
  table: z.union([z.object({ pk: z.string(), sk: z.string() }), z.null(), z.literal(false)]),
})
type Cursor = z.infer<typeof Cursor>

const beginning: Cursor = { bucket: null, table: null }

/** After this many failures something is wrong with more than single files. */
const maxFailures = 1_000

/** Reconciles until the end, or until `isOver`. Throws when a page cannot be read, or too much fails. */
export async function reconcile(stores: ReconcileStores, options: ReconcileOptions = {}): Promise<Summary> {
  const { dryRun = false, isOver = () => false, onProgress = () => {}, log = () => {} } = options
  const walk = dryRun ? undefined : options.walk
  const cursor = await loadCursor(stores, walk)
  const summary = emptySummary()
  const work: Work = {
    dryRun,
    count(difference, times) {
      summary[difference] += times
    },
    fail(error, { workspaceId: workspace, fileId } = { workspaceId: '', fileId: '' }) {
      summary.failed += 1
      log('error', 'reconcile-failed', { workspace, fileId, error: describeError(error) })
      if (summary.failed > maxFailures)
        throw new Error('Too many failures: is the storage well?', { cause: error })
    },
  }
  const pageDone = async () => {
    onProgress(summary)
    if (walk !== undefined) await stores.survey.saveCursor(walk, JSON.stringify(cursor))
  }

  async function walkBucket(): Promise<void> {
    while (cursor.bucket !== false && !isOver()) {
      const { keys, next } = await stores.objects.list(cursor.bucket ?? undefined)
      await checkObjects(stores, keys, work)
      summary.objects += keys.length
      cursor.bucket = next ?? false
      await pageDone()
    }
  }

  async function walkTable(): Promise<void> {
    while (cursor.table !== false && !isOver()) {
      const { files, rows, unreadable, next } = await stores.survey.page(cursor.table ?? undefined)
      for (const pk of unreadable) work.fail(new Error(`The file item ${pk} is unreadable`))
      await checkFiles(stores, files, work)
      await checkRowsOf(stores, files, work)
      await checkRows(stores, rows, work)
      summary.items += files.length + rows.length
      cursor.table = next ?? false
      await pageDone()
    }
  }

  await Promise.all([walkBucket(), walkTable()])
  summary.done = cursor.bucket === false && cursor.table === false
  if (walk !== undefined && summary.done) await stores.survey.saveCursor(walk, undefined)
  return summary
}

/** Where the walk was left. One that cannot be read, another release's for instance, must not stop every later run. */
async function loadCursor({ survey }: ReconcileStores, walk: string | undefined): Promise<Cursor> {
  const saved = walk === undefined ? undefined : await survey.loadCursor(walk)
  try {
    return saved === undefined ? { ...beginning } : Cursor.parse(JSON.parse(saved))
  } catch {
    return { ...beginning }
  }
}

function emptySummary(): Summary {
  return {
    objects: 0,
    items: 0,
    restored: 0,
    completed: 0,
    revived: 0,
    refreshed: 0,
    removed: 0,
    finished: 0,
    refused: 0,
    rowsPut: 0,
    rowsRemoved: 0,
    failed: 0,
    done: false,
  }
}
