/**
 * What the reconciler does with one page of the bucket or of the table. A page is looked at as it was read, which only
 * raises suspicion; each repair then reads anew and writes conditionally, so live traffic is never overruled.
 */
import { isDeepStrictEqual } from 'node:util'
import pMap from 'p-map'
import { type FileItem, type Row, rowsOf } from './file.ts'
import { type IndexStores, indexKey } from './indexing.ts'
import { fileOfRow, type ItemKey } from './keys.ts'
import { repeatOnConflict } from './retry.ts'
import type { FileName, Survey } from './survey.ts'
import { judge, readKey, type Verdict } from './verdict.ts'

/** What reconciling needs besides the stores that indexing needs. */
export interface ReconcileStores extends IndexStores {
  readonly survey: Survey
}

/** A difference between bucket and table. */
export type Difference =
  /** An object had no file: it is private to the owner in its key, and without tags. */
  | 'restored'
  /** An announced file whose object is there. */
  | 'completed'
  /** A file that went with its object, which is there again. */
  | 'revived'
  /** A file of another version than the object's. */
  | 'refreshed'
  /** A file without its object. */
  | 'removed'
  /** A deletion by the host that left the object. */
  | 'finished'
  /** An object that cannot be a file. */
  | 'refused'
  /** Index rows that were missing or wrong. */
  | 'rowsPut'
  /** Index rows that no file has (any more). */
  | 'rowsRemoved'

/** How a page is worked on. */
export interface Work {
  readonly dryRun: boolean
  /** Told of each difference: after its repair, or instead of it in a dry run. */
  count(difference: Difference, times: number): void
  /** Told of what could not be repaired, and of which file. */
  fail(error: unknown, name?: FileName): void
}

/** Repairs under way at a time. */
const concurrency = 16

/** A transaction has room for the condition, all rows of a file, and this many others. */
const maxRemovals = 50

/** Objects of the bucket: each must have a file that is ready, whose version the table's pages then check. */
export async function checkObjects(
  stores: ReconcileStores,
  keys: readonly string[],
  work: Work,
): Promise<void> {
  const places = keys.map((key) => ({ key, place: readKey(key) }))
  const names = unique(places.flatMap(({ place }) => ('refused' in place ? [] : [place])))
  const files = new Map((await stores.survey.filesOf(names)).map((file) => [nameOf(file), file]))
  const nameOfPlace = ({ place }: (typeof places)[number]) => ('refused' in place ? undefined : place)
  await each(places, work, nameOfPlace, async ({ key, place }) => {
    if ('refused' in place) return settleKey(stores, key, undefined, 'refuse', work)
    const file = files.get(nameOf(place))
    if (file?.state === 'ready' && file.objectKey === key) return
    const verdict = judge(key, file, { etag: '', versionId: undefined })
    return settleKey(stores, key, file, verdict, work)
  })
}

/** Files of the table: what is ready must have its object, in its version, and exactly its rows. */
export async function checkFiles(
  stores: ReconcileStores,
  files: readonly FileItem[],
  work: Work,
): Promise<void> {
  const ready = files.filter(({ state }) => state === 'ready')
  const expected = ready.map((file) => ({ file, rows: rowsOf(file) }))
  const present = await rowsAt(
    stores,
    expected.flatMap(({ rows }) => rows),
  )
  const nameOfFile = ({ file }: { file: FileItem }) => file
  await each(expected, work, nameOfFile, async ({ file, rows }) => {
    const found = await stores.objects.head(file.objectKey)
    const verdict = judge(file.objectKey, file, found)
    if (verdict !== 'nothing') await settleKey(stores, file.objectKey, file, verdict, work)
    const wrong = rows.filter((row) => !isSame(present.get(rowKey(row)), row))
    if (wrong.length === 0) return
    if (work.dryRun) work.count('rowsPut', wrong.length)
    else await repairRows(stores, file, [], work)
  })
}

/** Rows of the table: each must be one of its file's. */
export async function checkRows(
  stores: ReconcileStores,
  keys: readonly ItemKey[],
  work: Work,
): Promise<void> {
  const rows = keys.flatMap((key) => {
    const name = fileOfRow(key)
    return name ? [{ key, name }] : []
  })
  const files = await stores.survey.filesOf(unique(rows.map(({ name }) => name)))
  const right = new Set(files.flatMap(rowsOf).map(rowKey))
  const strays = Map.groupBy(
    rows.filter(({ key }) => !right.has(rowKey(key))),
    ({ name }) => nameOf(name),
  )
  const nameOfGroup = (group: typeof rows) => group[0]?.name
  await each([...strays.values()], work, nameOfGroup, async (group) => {
    const [{ name } = { name: undefined }] = group
    if (!name) return
    if (work.dryRun) return work.count('rowsRemoved', group.length)
    for (let i = 0; i < group.length; i += maxRemovals) {
      const some = group.slice(i, i + maxRemovals).map(({ key }) => key)
      await repairRows(stores, name, some, work)
    }
  })
}

/** Counts the verdict, and unless this is a dry run makes the index right about the key first. */
async function settleKey(
  stores: ReconcileStores,
  key: string,
  file: FileItem | undefined,
  verdict: Verdict,
  work: Work,
): Promise<void> {
  if (verdict === 'nothing') return
  const { result } = work.dryRun ? { result: undefined } : await indexKey(stores, key)
  if (result !== 'unchanged') work.count(differenceOf(verdict, file), 1)
}

function differenceOf(verdict: Exclude<Verdict, 'nothing'>, file: FileItem | undefined): Difference {
  if (verdict === 'refuse') return 'refused'
  if (verdict === 'entomb') return 'removed'
  if (verdict === 'finish-removal') return 'finished'
  if (!file) return 'restored'
  if (file.state === 'pending') return 'completed'
  return file.state === 'ready' ? 'refreshed' : 'revived'
}

/** Gives the file exactly the rows that it has to have; `strays` are rows of it that may be too many. */
function repairRows(
  stores: ReconcileStores,
  name: FileName,
  strays: readonly ItemKey[],
  work: Work,
): Promise<void> {
  return repeatOnConflict(async () => {
    const file = await stores.files.get(name.workspaceId, name.fileId)
    const rows = file ? rowsOf(file) : []
    const present = await rowsAt(stores, [...rows, ...strays])
    const right = new Set(rows.map(rowKey))
    const put = rows.filter((row) => !isSame(present.get(rowKey(row)), row))
    const remove = strays.filter((key) => !right.has(rowKey(key)) && present.has(rowKey(key)))
    if (put.length + remove.length === 0) return
    await stores.survey.repair(name, file, { put, remove })
    work.count('rowsPut', put.length)
    work.count('rowsRemoved', remove.length)
  })
}

/** What there is under these keys, by key. */
async function rowsAt(
  { survey }: ReconcileStores,
  keys: readonly ItemKey[],
): Promise<Map<string, Row | undefined>> {
  const wanted = new Map(keys.map(({ pk, sk }) => [rowKey({ pk, sk }), { pk, sk }]))
  return new Map((await survey.rowsAt([...wanted.values()])).map((at) => [rowKey(at), at.row]))
}

async function each<T>(
  items: readonly T[],
  work: Work,
  nameOfItem: (item: T) => FileName | undefined,
  check: (item: T) => Promise<void> | void,
): Promise<void> {
  await pMap(
    items,
    async (item) => {
      try {
        await check(item)
      } catch (error) {
        work.fail(error, nameOfItem(item))
      }
    },
    { concurrency },
  )
}

function nameOf({ workspaceId, fileId }: FileName): string {
  return `${workspaceId}#${fileId}`
}

function unique(names: readonly FileName[]): FileName[] {
  return [...new Map(names.map((name) => [nameOf(name), name])).values()]
}

function rowKey({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`
}

function isSame(present: Row | undefined, row: Row): boolean {
  if (!present) return false
  const { tags, only } = row
  const sorted = { ...row, tags: tags.toSorted(), only: only?.toSorted() }
  return isDeepStrictEqual(present, sorted)
}
