/**
 * The offline plan of a stage: runs the real configuration and SST's real components on a monitor that creates nothing
 * and writes every resource down. `node --import tsx test/sst/plan.ts <stage> <file>`: one plan a process, since Pulumi
 * keeps its state in modules.
 */
import crypto from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { created, lookedUp } from './aws.ts'
import { bundleRun, evaluateApp } from './bundle.ts'
import { platform } from './install.ts'

/** A resource as the configuration declares it. */
export interface Resource {
  readonly type: string
  readonly name: string
  readonly inputs: Record<string, unknown>
  readonly protect: boolean
  readonly retainOnDelete: boolean
}

/** Everything that a deployment would make, and what it would print. */
export interface Plan {
  readonly app: Record<string, unknown>
  readonly outputs: Record<string, unknown>
  readonly resources: readonly Resource[]
}

const [stage = 'dev', file = ''] = process.argv.slice(2)
process.env.AWS_REGION = 'us-east-1'
process.env.SST_AWS_REGION = 'us-east-1'

// SST asks its command line, over HTTP, for what only that can know
const answers: Record<string, (asked: { handler: string; bundle: string }) => unknown> = {
  'Provider.Aws.Bootstrap': () => ({ asset: 'asset', state: 'state' }),
  'Provider.Aws.Appsync': () => ({ http: '', realtime: '' }),
  'Runtime.AddTarget': () => true,
  // a function that brings its bundle is taken as it is
  'Runtime.Build': ({ handler, bundle }) => ({ handler, out: bundle, errors: [], sourcemaps: [] }),
}
const commandLine = createServer(async (req, res) => {
  const { id, method, params } = JSON.parse(await text(req))
  const answer = answers[method]
  res.end(JSON.stringify(answer ? { id, result: answer(params[0]), error: null } : { id, error: method }))
})
await new Promise<void>((listening) => commandLine.listen(0, '127.0.0.1', listening))
process.env.SST_SERVER = `http://127.0.0.1:${(commandLine.address() as AddressInfo).port}`

// SST ends physical names with eight random bytes
const { randomBytes } = crypto
const fixed = (size: number, ...rest: []) => (size === 8 ? Buffer.alloc(8) : randomBytes(size, ...rest))
Object.assign(crypto, { randomBytes: fixed })

const app = await evaluateApp(stage)
const require = createRequire(`${platform}/package.json`)
const pulumi = require('@pulumi/pulumi')
const { deserializeProperties } = require('@pulumi/pulumi/runtime/rpc')
const resources: Resource[] = []

await pulumi.runtime.setMocks(
  {
    newResource: ({ type, name, inputs }: { type: string; name: string; inputs: object }) =>
      created(type, name, plain(inputs)),
    call: ({ token, inputs }: { token: string; inputs: object }) => lookedUp(token, plain(inputs)),
  },
  app.name,
  stage,
  false,
  'organization',
)
const monitor = pulumi.runtime.getMonitor()
const register = monitor.registerResource.bind(monitor)
// resource options such as `protect` are in the request only
monitor.registerResource = (request: Request, done: (error: unknown, response: unknown) => void) => {
  resources.push({
    type: request.getType(),
    name: request.getName(),
    inputs: plain(deserializeProperties(request.getObject())),
    protect: Boolean(request.getProtect()),
    retainOnDelete: Boolean(request.getRetainondelete()),
  })
  return register(request, done)
}

interface Request {
  getType(): string
  getName(): string
  getObject(): unknown
  getProtect(): boolean
  getRetainondelete(): boolean
}

const failures: unknown[] = []
process.on('unhandledRejection', (error) => failures.push(error))
const paths = { home: '/tmp', root: process.cwd(), work: `${process.cwd()}/.sst`, platform }
const command = { command: 'deploy', dev: false, rpc: '', home: 'aws', paths, state: { version: {} } }
const bundle = await bundleRun(app, command)
let outputs: Record<string, unknown> = {}
try {
  const { start } = await import(pathToFileURL(bundle).href)
  outputs = await start()
  // components register more as their inputs resolve: done when nothing has come for a while
  for (let count = -1; count !== resources.length; await sleep(400)) {
    count = resources.length
    await pulumi.runtime.waitForRPCs()
  }
} catch (error) {
  failures.push(error)
} finally {
  rmSync(bundle)
}
for (const error of failures) console.error(error instanceof Error ? error.stack : error)
if (failures.length === 0) writeFileSync(file, JSON.stringify({ app, outputs, resources } satisfies Plan))
process.exit(failures.length === 0 ? 0 : 1)

/** Values without the wrapping that marks a secret. */
function plain(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    each?.['4dabf18193072939515e22adb298388d'] === '1b47061264138c4ac30d75fd1eb44270' ? each.value : each,
  )
}
