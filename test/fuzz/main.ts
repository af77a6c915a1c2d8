/**
 * `npm run fuzz [-- --minutes 60] [--seed 1] [--target uri]`: fuzzes all targets in turn until the time is over. A
 * finding is printed with its seed and path, to be cured and added to findings.ts, and ends the run with 1.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { Option } from 'commander'
import fc from 'fast-check'
import { commandLine, numberFrom } from '../../bench/words.ts'
import { startService } from '../harness.ts'
import { targets } from './targets.ts'

const values = commandLine('fuzz', 'Fuzzes all targets in turn until the time is over.')
  .option('--minutes <n>', 'how long', numberFrom(0.1, 10_000), 1)
  .option('--seed <n>', 'where to begin', numberFrom(0, 2 ** 31 - 1), Date.now() % 1_000_000)
  .addOption(new Option('--target <name>', 'only this one').choices(Object.keys(targets)))
  .parse()
  .opts<{ minutes: number; seed: number; target?: string }>()
const endsAt = Date.now() + values.minutes * 60_000
const chosen = Object.entries(targets).filter(([name]) => !values.target || name === values.target)
const runs = new Map(chosen.map(([name]) => [name, 0]))
const found: string[] = []
const service = await startService()

for (let round = 0; Date.now() < endsAt && found.length === 0; round += 1) {
  for (const [name, target] of chosen) {
    const isSlow = name === 'service' || name === 'token'
    const seed = values.seed + round
    const numRuns = isSlow ? 500 : 20_000
    const details = await fc.check(target(service) as fc.IAsyncProperty<unknown>, {
      seed,
      numRuns,
      endOnFailure: false,
    })
    runs.set(name, (runs.get(name) ?? 0) + details.numRuns)
    service.logs.length = 0
    if (!details.failed) continue
    const input = JSON.stringify(details.counterexample)
    found.push(
      `{ target: '${name}', seed: ${details.seed}, path: '${details.counterexamplePath}' }  ${input}  ${details.errorInstance}`,
    )
  }
  const left = Math.max(0, Math.round((endsAt - Date.now()) / 1_000))
  process.stderr.write(
    `\r${[...runs].map(([name, count]) => `${name} ${count}`).join(', ')}; ${left} s left   `,
  )
}
await service.close()
process.stderr.write('\n')
for (const line of found) console.log(line)

const day = new Date().toISOString().slice(0, 10)
await mkdir('docs/reports', { recursive: true })
await writeFile(
  `docs/reports/fuzz-${day}.md`,
  `# Fuzzing, ${day}

\`npm run fuzz -- --minutes ${values.minutes} --seed ${values.seed}\`, Node ${process.version}. Inputs tried:

| target | inputs |
| --- | --- |
${[...runs].map(([name, count]) => `| ${name} | ${count.toLocaleString('en')} |`).join('\n')}

${found.length === 0 ? 'Nothing was found.' : `Found:\n\n${found.map((line) => `    ${line}`).join('\n')}`}
`,
)
process.exit(found.length > 0 ? 1 : 0)
