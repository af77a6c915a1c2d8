/**
 * `npm run bench [-- <parts…>] [--check] [--slack F] [--rounds N] [--out DIR]`: measures on this machine, in one run and
 * as ratios. `--check` exits with 1 when a figure falls short by more than a quarter; `--slack 2` lets it be twice as bad.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { benchAdmission } from './admit.ts'
import { benchStart } from './cold.ts'
import { benchIndexing } from './index.ts'
import { benchLists } from './list.ts'
import { benchMemory } from './memory.ts'
import { plot } from './plot.ts'
import { buildChildren } from './processes.ts'
import { benchReads } from './read.ts'
import { isBound, type Result, reaches, table } from './report.ts'
import { reports } from './reports.ts'
import { benchSmallReads } from './small.ts'
import { commandLine, numberFrom } from './words.ts'

const parts: Readonly<Record<string, (rounds: number) => Promise<Result[]>>> = {
  read: async (rounds) => [...(await benchReads(rounds)), ...(await benchSmallReads(rounds))],
  list: benchLists,
  throttle: (rounds) => benchAdmission(rounds, rounds < 9 ? 3_000 : 10_000),
  index: benchIndexing,
  cold: (rounds) => benchStart(rounds + 6),
  memory: () => benchMemory(),
}

const program = commandLine('bench', 'Measures on this machine, in one run and as ratios.')
  .argument(
    '[parts...]',
    `what to measure: ${Object.keys(parts).join(', ')}; all if none is named. Or one of ${Object.keys(reports).join(', ')}`,
  )
  .option('--rounds <n>', 'pairs taken of each figure', numberFrom(1, 1_000), 9)
  .option('--check', 'exit with 1 when a figure falls short')
  .option('--slack <factor>', 'let --check pass what is so many times worse', numberFrom(1, 100), 1.25)
  .option('--out <dir>', 'write the results there, as JSON and as plots')
  .option('--json', 'print a report as JSON')
  .option('--prices <file>', 'prices for the report on costs, in place of bench/prices.json')
  .parse()
const options = program.opts<{
  rounds: number
  check?: true
  slack: number
  out?: string
  json?: true
  prices?: string
}>()

const report = reports[program.args[0] ?? '']
if (report) {
  console.log(await report(options))
  process.exit(0)
}

const chosen = program.args.length > 0 ? program.args : Object.keys(parts)
const unknown = chosen.find((name) => !(name in parts))
if (unknown) {
  program.error(
    `There is no part "${unknown}": choose among ${[...Object.keys(parts), ...Object.keys(reports)].join(', ')}.`,
  )
}

await buildChildren()
const machine = `${cpus().length} cores, ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
const date = new Date().toISOString().slice(0, 10)
console.log(`${date}, ${machine}, ${options.rounds} rounds`)
const results: Result[] = []
for (const name of chosen) {
  const measured = (await parts[name]?.(options.rounds)) ?? []
  results.push(...measured)
  console.log(`\n${name}\n${table(measured)}`)
  if (options.out) await keep(options.out, name, measured)
}

/** One JSON and one picture for each part, so that a part can be measured anew alone. */
async function keep(dir: string, name: string, measured: readonly Result[]): Promise<void> {
  await mkdir(dir, { recursive: true })
  const document = { date, machine, rounds: options.rounds, results: measured }
  await writeFile(join(dir, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`)
  await writeFile(join(dir, `${name}.svg`), await plot(measured.filter(isBound), name, `${date}, ${machine}`))
}

const short = results.filter((result) => !reaches(result, options.slack))
for (const { what } of short) console.log(`falls short: ${what}`)
process.exit(options.check && short.length > 0 ? 1 : 0)
