/**
 * `npm run dev`: the whole service on this machine. Emulated S3 and DynamoDB in threads of their own, a local signing
 * key, sample files, and the resolver on Node's HTTP server; then a table of what is there and requests to paste.
 */
import type { AddressInfo } from 'node:net'
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { createIndexStores } from '../../functions/stores.ts'
import { createDynamo, createResolver, createS3 } from '../../functions/wiring.ts'
import { parseConfig } from '../../lib/config.ts'
import { createIndexer } from '../../lib/indexer.ts'
import { createLog, describeError, type Log } from '../../lib/log.ts'
import { createHttpServer } from '../../lib/node.ts'
import { reconcile } from '../../lib/reconcile.ts'
import { createSigner } from '../../lib/token.ts'
import type { ReconcileStores } from '../../lib/work.ts'
import { swallowedHint } from '../cli/npm.ts'
import { createConsole } from '../console/app.ts'
import { parseUploadOrigins } from '../cors.ts'
import { startCloudApart } from './apart.ts'
import {
  findDescriptor,
  foreignVariables,
  removeDescriptor,
  wasKilled,
  writeDescriptor,
} from './descriptor.ts'
import { openFolder, parseFolder } from './folder.ts'
import { addConsole } from './front.ts'
import { createQueue, type Queue } from './queue.ts'
import { connectCloud } from './remote.ts'
import { createResources } from './resources.ts'
import type { S3Event } from './s3/events.ts'
import { sampleCaller, storeSamples } from './samples.ts'
import { openSigningKey, publicJwks } from './signing.ts'
import { welcome } from './welcome.ts'

/** How long a stop waits for the indexer to finish what it was told. */
const maxSettleMs = 5_000

const program = new Command('npm run dev --')
  .description('Runs the file resolver with emulated S3 and DynamoDB; needs nothing but Node.')
  .option('--port <number>', 'port to listen on, 0 for any free one', port, 8787)
  .option('--data <dir>', 'folder that keeps all data', parseFolder, '.local')
  .option('--no-samples', 'store no sample files')
  .option('--json', 'print one JSON line {"url": …} when ready, and nothing else')
  .exitOverride(({ exitCode }) => (exitCode === 0 ? process.exit(0) : endUsage())) // as `npm run files` ends
const options = program.parse().opts<{ port: number; data: string; samples: boolean; json?: true }>()
if (swallowed()) endUsage()

try {
  await start()
} catch (error) {
  fail(error)
}

function endUsage(): never {
  const hint = swallowed()
  if (hint) console.error(hint)
  process.exit(2)
}

/** What npm has taken of the command line; its own setting `json` is nothing of ours. */
function swallowed(): string | undefined {
  return swallowedHint(program, { ...process.env, npm_config_json: undefined }, 'npm run dev --')
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function start(): Promise<void> {
  const dir = await openFolder(options.data)
  const running = await findDescriptor(dir)
  if (running) {
    throw new Error(
      `A dev service runs already on ${options.data}, at ${running.url} (process ${running.pid}): stop it, or choose another --data.`,
    )
  }
  const isRecovering = await wasKilled(dir)
  const log = createLog((line) => process.stderr.write(`${line}\n`))
  const signingKey = await openSigningKey(dir)
  const environment = { ...localDefaults(publicJwks(signingKey)), ...presentEnvironment() }
  const config = parseConfig(environment)
  const queue = createQueue({ onDeadLetter: (message) => log('error', 'dead-letter', { message }) })
  const endpoint = process.env.AWS_ENDPOINT_URL
  const cloud = endpoint
    ? await connectCloud(endpoint, (body) => queue.send(body))
    : await startCloudApart({ dir, onEvent: sendOwn(queue, config.bucket), onCrash: fail })
  Object.assign(environment, cloud.environment)
  Object.assign(process.env, cloud.environment)
  if (!endpoint) for (const name of foreignVariables) delete process.env[name]

  const uploadOrigins = parseUploadOrigins(process.env.UPLOAD_ORIGINS)
  await createResources(createS3(environment), createDynamo(), { ...config, uploadOrigins })
  const stores = createIndexStores(config, environment)
  queue.deliverTo(createIndexer(stores, (level, ...rest) => level === 'info' || log(level, ...rest)))
  if (options.samples) await storeSamples(stores)

  const server = createHttpServer(createResolver(config, environment, log), config, log)
  const signer = await createSigner(signingKey, config.issuer, config.audience)
  addConsole(server, createConsole({ stores, dynamo: createDynamo(), signer, config, sampleCaller }))
  await new Promise<void>((listening, failed) => {
    server.once('error', (error) => failed(portError(error)))
    server.listen(options.port, '127.0.0.1', listening)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeDescriptor(dir, { pid: process.pid, url, environment: storeEnvironment(environment) })

  let isStopping = false
  const settled = async () => {
    await cloud.flush?.()
    await queue.settled()
  }
  const stop = async (exitCode: number) => {
    isStopping = true
    server.closeAllConnections()
    server.close()
    const isSettled = await Promise.race([settled().then(() => true), sleep(maxSettleMs, false)])
    await cloud.close()
    if (isSettled) await removeDescriptor(dir) // else the next start repairs what is left
    process.exit(exitCode)
  }
  process.once('SIGINT', () => stop(0))
  process.once('SIGTERM', () => stop(0))

  try {
    if (options.json) console.log(JSON.stringify({ url }))
    else console.log(await welcome({ url, dataOption: dataOption(), signingKey, config }))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return stop(1)
  }
  if (isRecovering) await recover(stores, () => isStopping, log)
}

/** Repairs what a killed process had still in its queue. */
async function recover(stores: ReconcileStores, isOver: () => boolean, log: Log): Promise<void> {
  try {
    await reconcile(stores, { isOver, log })
  } catch (error) {
    if (!isOver()) log('error', 'recovery-failed', { error: describeError(error) })
  }
}

/** Sends on the events of the service's bucket, as its notification configuration would. */
function sendOwn(queue: Queue, bucket: string): (event: S3Event) => void {
  return (event) => {
    if (event.Records.every(({ s3 }) => s3.bucket.name === bucket)) queue.send(JSON.stringify(event))
  }
}

/** What the service needs and a developer has not set. */
function localDefaults(jwks: string): Record<string, string> {
  const keys = process.env.HOST_JWKS_URL ? {} : { HOST_JWKS: jwks }
  return {
    FILES_BUCKET: 'files',
    FILES_TABLE: 'files',
    BUCKETS_TABLE: 'buckets',
    TOKEN_ISSUER: 'http://localhost/host',
    TOKEN_AUDIENCE: 'file-resolver',
    ...keys,
  }
}

function presentEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** What another process needs to work on the same stores, and nothing else of this one's environment. */
function storeEnvironment(environment: Record<string, string>): Record<string, string> {
  const wanted =
    /^(AWS_(REGION|ACCESS_KEY_ID|SECRET_ACCESS_KEY|ENDPOINT_URL.*)|FILES_.*|BUCKETS_TABLE|HOST_JWKS.*|TOKEN_.*|MAX_READ_BYTES)$/
  return Object.fromEntries(Object.entries(environment).filter(([name]) => wanted.test(name)))
}

/** The flag by which the CLI finds this data folder, empty for the default one. */
function dataOption(): string {
  const path = relative(process.cwd(), resolve(options.data)) || '.'
  if (path === '.local') return ''
  const isPlain = /^[\w./-]+$/.test(options.data)
  return ` --data ${isPlain ? options.data : `'${options.data.replaceAll("'", `'\\''`)}'`}`
}

function port(text: string): number {
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

function portError(error: Error): Error {
  if (!('code' in error && error.code === 'EADDRINUSE')) return error
  return new Error(
    `Port ${options.port} is in use: choose another with --port, or --port 0 for any free one.`,
  )
}
