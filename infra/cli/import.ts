/**
 * `files import`: moves in from a host's own store, which keeps `workspaces/<workspace>/files/<owner>/registry.jsonl`
 * with the bytes beside it as `<id>_<name>`. What is here already is not moved again, so an interrupted import goes on.
 */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import pMap from 'p-map'
import { describeError } from '../../lib/log.ts'
import { type Entry, type Moved, moveEntry } from '../../lib/move.ts'
import { type Registry, type RegistryFile, readRegistry } from '../../lib/registry.ts'
import type { ReconcileStores } from '../../lib/work.ts'
import type { Output } from './output.ts'
import { startProgress } from './progress.ts'
import { parseParallel, usageError } from './words.ts'
import type { Run } from './write.ts'

interface ImportOptions {
  dryRun?: boolean
  parallel: number
}

interface Owner {
  readonly workspaceId: string
  readonly ownerId: string
  readonly dir: string
}

/** What could not be moved: a file, or a line of a registry that says nothing. */
interface Leftover {
  readonly path: string
  readonly what: string
  readonly reason: string
}

type Counts = Record<Moved['result'], number> & { bytes: number }

/** Items that are looked up at once. */
const chunk = 200

/** More failures of storage than this are no matter of single files. */
const maxOutages = 100

/** Adds import. */
export function addImportCommand(program: Command, run: Run): void {
  program
    .command('import')
    .argument('<dir>', "the host's folder, with workspaces/ in it")
    .description("move files in from a host's own store; ids, names, times, tags and visibility stay")
    .option('--dry-run', 'only tell what would be moved')
    .option('--parallel <number>', 'files to move at a time', parseParallel, 16)
    .action((dir: string, options: ImportOptions) =>
      run((place, output) => importAll(place.stores(), dir, options, output)),
    )
}

async function importAll(
  stores: ReconcileStores,
  dir: string,
  { dryRun = false, parallel }: ImportOptions,
  output: Output,
): Promise<void> {
  const left: Leftover[] = []
  const owners = await findOwners(dir, left)
  const counts: Counts = { moved: 0, present: 0, deleted: 0, removed: 0, tombstone: 0, left: 0, bytes: 0 }
  let total = 0
  for (const owner of owners) {
    const { entries, malformed } = await openRegistry(owner)
    total += entries.size
    const path = join(owner.dir, 'registry.jsonl')
    for (const { line, reason } of malformed) left.push({ path, what: `line ${line}`, reason })
  }
  let done = 0
  let outages = 0
  const progress = startProgress('importing', total, 'files')
  const move = async (owner: Owner, entry: Entry) => {
    const moved = await moveEntry(stores, entry, dryRun).catch((error: unknown): Moved => {
      outages += 1
      if (outages > maxOutages) throw error
      return { result: 'left', reason: describeError(error) }
    })
    counts[moved.result] += 1
    if (moved.result === 'moved') counts.bytes += moved.size
    if (moved.result === 'left') left.push({ path: owner.dir, what: entry.id, reason: moved.reason })
    done += 1
    progress.update(done)
  }
  try {
    for (const owner of owners) {
      await pMap(entriesOf(stores, owner), (entry) => move(owner, entry), { concurrency: parallel })
    }
  } finally {
    progress.end()
  }
  report(counts, left, dryRun, output)
  if (left.length > 0) throw new Error(`${left.length} could not be moved.`)
}

async function findOwners(dir: string, left: Leftover[]): Promise<Owner[]> {
  const root = join(dir, 'workspaces')
  const workspaces = await readdir(root).catch(() => undefined)
  if (!workspaces) throw usageError(`there is no folder ${root}`)
  const owners: Owner[] = []
  for (const workspaceId of workspaces.sort()) {
    const files = join(root, workspaceId, 'files')
    const ownerIds = await readdir(files).catch((error: Error) => tellUnlessMissing(error, files, left))
    for (const ownerId of (ownerIds ?? []).sort()) {
      const ownDir = join(files, ownerId)
      const path = join(ownDir, 'registry.jsonl')
      const registry = await stat(path).catch((error: Error) => tellUnlessMissing(error, path, left))
      if (registry?.isFile()) owners.push({ workspaceId, ownerId, dir: ownDir })
    }
  }
  return owners
}

/** A folder without files is no matter, but one that cannot be read would leave all its files out in silence. */
function tellUnlessMissing(error: Error, path: string, left: Leftover[]): undefined {
  const isMissing = 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  if (!isMissing) left.push({ path, what: 'cannot be read', reason: error.message })
}

function openRegistry({ dir }: Owner): Promise<Registry> {
  return readRegistry(createReadStream(join(dir, 'registry.jsonl')))
}

/** The entries of one owner's registry, each with its bytes and with what is here of it. */
async function* entriesOf(stores: ReconcileStores, owner: Owner): AsyncGenerator<Entry> {
  const { workspaceId, ownerId, dir } = owner
  const { entries } = await openRegistry(owner)
  const paths = await findBytes(dir, entries)
  const all = [...entries]
  for (let i = 0; i < all.length; i += chunk) {
    const some = all.slice(i, i + chunk)
    const names = some.map(([fileId]) => ({ workspaceId, fileId }))
    const present = new Map((await stores.survey.filesOf(names)).map((file) => [file.fileId, file]))
    for (const [id, file] of some) {
      yield { workspaceId, ownerId, id, file, path: paths.get(id), present: present.get(id) }
    }
  }
}

/** Which file of the folder holds the bytes of which id. */
async function findBytes(
  dir: string,
  entries: ReadonlyMap<string, RegistryFile | 'deleted'>,
): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const name of (await readdir(dir)).sort()) {
    const { id, isExact } = idOf(name, entries)
    if (id !== undefined && (isExact || !paths.has(id))) paths.set(id, join(dir, name))
  }
  return paths
}

/** A current id and `_` may begin a legacy id as well: the file's own name decides, else the longer id. */
function idOf(
  name: string,
  entries: ReadonlyMap<string, RegistryFile | 'deleted'>,
): { id: string | undefined; isExact: boolean } {
  const patterns = [/^(fl_[a-z0-9]{1,32}_[0-9a-f]{8})_/, /^(fl_[0-9a-f]{24})_/]
  const ids = patterns.map((pattern) => pattern.exec(name)?.[1] ?? '').filter((id) => entries.has(id))
  const exact = ids.find((id) => {
    const file = entries.get(id)
    return file !== undefined && file !== 'deleted' && name === `${id}_${nameOnDisk(file.filename)}`
  })
  return { id: exact ?? ids[0], isExact: exact !== undefined }
}

/** How the host writes a name on disk: without separators and control characters, trimmed, and never empty. */
function nameOnDisk(filename: string): string {
  return filename.replace(/[/\\\p{Cc}]/gu, '').trim() || 'unnamed'
}

function report(counts: Counts, left: readonly Leftover[], dryRun: boolean, output: Output): void {
  const sentences: [number, string][] = [
    [counts.moved, dryRun ? 'to move' : 'moved'],
    [counts.present, 'were here already'],
    [counts.deleted, 'were deleted here, and stay so'],
    [counts.removed, dryRun ? 'to delete, as they were there' : 'deleted, as they were there'],
    [counts.tombstone, 'were deleted there'],
    [left.length, 'could not be moved'],
  ]
  const told = sentences
    .filter(([times], i) => times > 0 || i === 0)
    .map(([times, what]) => `${times} ${what}`)
  output.line(`${told.join(', ')} (${counts.bytes} bytes).`)
  for (const { path, what, reason } of left) output.line(`  ${path} ${what}: ${reason}`)
  output.json({ dryRun, ...counts, left })
}
