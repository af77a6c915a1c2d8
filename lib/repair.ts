/**
 * What the reconciler does with one page of the bucket, or with the files of one page of the table. A page is looked at
 * as it was read, which only raises suspicion; each repair then reads anew and writes conditionally.
 */
import type { FileItem } from './file.ts'
import { indexKey } from './indexing.ts'
import { judge, readKey, type Verdict } from './verdict.ts'
import { type Difference, each, nameOf, type ReconcileStores, unique, type Work } from './work.ts'

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
    const verdict = judge(key, file, { etag: '', versionId: undefined, size: 0 })
    return settleKey(stores, key, file, verdict, work)
  })
}

/** Files of the table: what is ready must have its object, in its version. */
export async function checkFiles(
  stores: ReconcileStores,
  files: readonly FileItem[],
  work: Work,
): Promise<void> {
  const nameOfFile = (file: FileItem) => file
  await each(files, work, nameOfFile, async (file) => {
    if (file.state !== 'ready') return
    const verdict = judge(file.objectKey, file, await stores.objects.head(file.objectKey))
    await settleKey(stores, file.objectKey, file, verdict, work)
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
