/**
 * The commands that keep the index right: reconcile, and the quarantine of objects that cannot be files.
 */
import type { Command } from 'commander'
import { listRefusals, retryRefusal } from '../../lib/indexing.ts'
import { createLog } from '../../lib/log.ts'
import { reconcile, type Summary } from '../../lib/reconcile.ts'
import type { Refusal } from '../../lib/refusals.ts'
import type { ReconcileStores } from '../../lib/work.ts'
import { columns } from '../local/welcome.ts'
import type { Output } from './output.ts'
import { startProgress } from './progress.ts'
import type { Run } from './write.ts'

interface ReconcileOptions {
  dryRun?: boolean
  restart?: boolean
}

/** The cursor of walks that a person started. */
const walk = 'cli'

/** Adds reconcile, quarantine ls and quarantine retry. */
export function addKeepCommands(program: Command, run: Run): void {
  program
    .command('reconcile')
    .description('compare bucket and table, and repair every difference')
    .option('--dry-run', 'only tell what would be repaired')
    .option('--restart', 'begin anew where an earlier run was interrupted')
    .action((options: ReconcileOptions) =>
      run((place, output) => reconcileAll(place.stores(), options, output)),
    )

  const quarantine = program.command('quarantine').description('objects that cannot be files')
  quarantine
    .command('ls')
    .description('list them, with reasons')
    .action(() => run((place, output) => show(place.stores(), output)))
  quarantine
    .command('retry')
    .argument('[key...]', 'keys as ls shows them; all if absent')
    .description('try to index them again, and let those go that are not refused again')
    .action((keys: string[]) => run((place, output) => retry(place.stores(), keys, output)))
}

async function reconcileAll(
  stores: ReconcileStores,
  { dryRun = false, restart = false }: ReconcileOptions,
  output: Output,
): Promise<void> {
  if (restart && !dryRun) await stores.survey.saveCursor(walk, undefined)
  const progress = startProgress('reconciling', await stores.survey.estimate(), 'items')
  const log = createLog((line) => process.stderr.write(`${line}\n`))
  const onProgress = ({ items, objects }: Summary) => progress.update(items, `and ${objects} objects`)
  const summary = await reconcile(stores, { dryRun, walk, onProgress, log }).finally(() => progress.end())
  for (const line of sentences(summary, dryRun)) output.line(line)
  output.json({ dryRun, ...summary })
  if (summary.failed > 0) throw new Error(`${summary.failed} could not be checked or repaired.`)
}

function sentences(summary: Summary, dryRun: boolean): string[] {
  const found: [number, string][] = [
    [
      summary.restored,
      'objects without a file: indexed as private to the owner in their key, and without tags',
    ],
    [summary.completed, 'announced files whose object is there: completed'],
    [summary.revived, 'files whose object is there again: brought back as they were'],
    [summary.refreshed, 'files of another version than their object: indexed anew'],
    [summary.removed, 'files without their object: removed'],
    [summary.finished, 'deletions that had left the object: finished'],
    [summary.rowsPut, 'index rows that were missing or wrong: written'],
    [summary.rowsRemoved, 'index rows of no file: removed'],
    [summary.refused, 'objects that cannot be files: in quarantine'],
  ]
  const differences = found.filter(([times]) => times > 0).map(([times, what]) => `${times} ${what}`)
  const walked = `Compared ${summary.objects} objects with ${summary.items} items of the table.`
  if (differences.length === 0) return [`${walked} They agree.`]
  return [dryRun ? `${walked} Nothing was changed; to repair:` : `${walked} Repaired:`, ...differences]
}

async function show({ refusals }: ReconcileStores, output: Output): Promise<void> {
  const found: Refusal[] = []
  for await (const refusal of listRefusals(refusals)) found.push(refusal)
  const rows = found.map(({ key, reason, refusedAt }) => [refusedAt, key, reason])
  if (rows.length > 0) for (const line of columns([['since', 'key', 'reason'], ...rows])) output.line(line)
  output.json(found)
}

async function retry(stores: ReconcileStores, keys: string[], output: Output): Promise<void> {
  const refused = new Set<string>()
  for await (const { key } of listRefusals(stores.refusals)) refused.add(key)
  const strange = keys.filter((key) => !refused.has(key)).map((key) => JSON.stringify(key))
  if (strange.length > 0)
    throw new Error(`Not in quarantine: ${strange.join(', ')}. \`quarantine ls\` shows what is.`)
  const results: { key: string; result: string }[] = []
  for (const key of keys.length > 0 ? keys : refused) {
    const outcome = await retryRefusal(stores, key)
    const why = outcome.result === 'refused' ? `, ${outcome.reason}` : ''
    output.line(`${key}: ${outcome.result}${why}`)
    results.push({ key, result: outcome.result })
  }
  output.json(results)
}
