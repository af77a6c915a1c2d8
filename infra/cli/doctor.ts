/**
 * `files doctor`: examines everything that the service and this command line need, and says what to do about what is
 * wrong. It changes nothing.
 */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createDynamo, createS3 } from '../../functions/wiring.ts'
import { parseStoreConfig } from '../../lib/config.ts'
import { bucketsTable, filesTable } from '../definitions.ts'
import { type Descriptor, findDescriptor } from '../local/descriptor.ts'
import { sampleCaller } from '../local/samples.ts'
import { type Finding, ill, well } from './finding.ts'
import { createOutput, type Output } from './output.ts'
import { findPlace } from './place.ts'
import { examineKeys, examineResolver } from './service.ts'
import { examineBucket, examineTable } from './stores.ts'

/** Adds doctor. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('examine environment, bucket, tables, keys, clock and rights; changes nothing')
    .action(async () => {
      const { data, json = false } = program.opts<{ data: string; json?: true }>()
      const findings = await examineAll(data)
      const output = createOutput(json)
      for (const finding of findings) describe(finding, output)
      output.json(findings)
      const ills = findings.filter(({ ok }) => !ok).length
      if (ills > 0) throw new Error(`${ills} of ${findings.length} findings need a cure.`)
    })
}

async function examineAll(data: string): Promise<Finding[]> {
  const place = await findPlace(data)
  const running = await findDescriptor(resolve(data))
  const url = running?.url ?? process.env.FILE_RESOLVER_URL
  return [
    well('node', process.versions.node),
    whereabouts(running, data),
    ...(await examineStores()),
    ...(await examineKeys(process.env)),
    ...(url ? await examineResolver(url, () => place.token(sampleCaller, 60)) : []),
  ]
}

function whereabouts(running: Descriptor | undefined, data: string): Finding {
  if (running) return well('place', `the dev service on ${data}, process ${running.pid}`)
  if (process.env.FILES_BUCKET) return well('place', 'what the environment names')
  return ill(
    'place',
    `no dev service runs on ${data}, and FILES_BUCKET is not set`,
    'Start one with "npm run dev", or set the variables of the deployed service.',
  )
}

async function examineStores(): Promise<Finding[]> {
  const { env } = process
  if (!env.FILES_BUCKET && !env.FILES_TABLE) return []
  try {
    const config = parseStoreConfig(env)
    const dynamo = createDynamo()
    const found = await Promise.all([
      examineBucket(createS3(env), config.bucket),
      examineTable(dynamo, config.filesTable, 'FILES_TABLE', filesTable),
      env.BUCKETS_TABLE ? examineTable(dynamo, env.BUCKETS_TABLE, 'BUCKETS_TABLE', bucketsTable) : [],
    ])
    return found.flat()
  } catch (error) {
    const problems = (error instanceof Error ? error.message : String(error)).split(/\n\s*/)
    return [
      ill('environment', problems.slice(problems.length > 1 ? 1 : 0).join('; '), 'Correct these variables.'),
    ]
  }
}

function describe({ check, ok, detail, remedy }: Finding, output: Output): void {
  output.line(ok ? ['green', '✓'] : ['red', '✗'], ` ${check}: ${detail}`)
  if (remedy) output.line('    ', ['bold', remedy])
}
