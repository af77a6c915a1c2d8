/**
 * Index rows as the reconciler sees them: each file must have exactly those that follow from its item. Rows are changed
 * on condition of the item's revision, so a change of the file that is under way is never undone.
 */
import { isDeepStrictEqual } from 'node:util'
import { type FileItem, type Row, rowsOf } from './file.ts'
import { fileOfRow, type ItemKey } from './keys.ts'
import { repeatOnConflict } from './retry.ts'
import type { FileName } from './survey.ts'
import { each, nameOf, type ReconcileStores, unique, type Work } from './work.ts'

/** A transaction has room for the condition, all rows of a file, and this many others. */
const maxRemovals = 50

/** Files of the table: each must have all its rows, as they have to be. */
export async function checkRowsOf(
  stores: ReconcileStores,
  files: readonly FileItem[],
  work: Work,
): Promise<void> {
  const expected = files.map((file) => ({ file, rows: rowsOf(file) }))
  const present = await rowsAt(
    stores,
    expected.flatMap(({ rows }) => rows),
  )
  const wrong = expected.flatMap(({ file, rows }) => {
    const times = rows.filter((row) => !isSame(present.get(rowKey(row)), row)).length
    return times > 0 ? [{ file, times }] : []
  })
  await each(
    wrong,
    work,
    ({ file }) => file,
    async ({ file, times }) => {
      if (work.dryRun) work.count('rowsPut', times)
      else await repairRows(stores, file, [], work)
    },
  )
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

function rowKey({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`
}

function isSame(present: Row | undefined, row: Row): boolean {
  if (!present) return false
  const { tags, only } = row
  const sorted = { ...row, tags: tags.toSorted(), only: only?.toSorted() }
  return isDeepStrictEqual(present, sorted)
}
