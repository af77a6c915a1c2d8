/**
 * Lambda on this machine: AWS's own runtime client runs the production bundle in a process of its own, against a small
 * Runtime API. Like Lambda it gives an instance one event at a time and starts another instance while all are busy.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LambdaFunctionURLEvent } from 'aws-lambda'

/** What a function posts for one event, as it comes: trailers are there when the body has ended. */
export interface Posted {
  readonly kind: 'response' | 'error'
  readonly request: IncomingMessage
}

/** A function that can be invoked. */
export interface Runtime {
  /** Resolves when the function begins to answer; rejects when its instance exits, or cannot start. */
  invoke(event: LambdaFunctionURLEvent | object): Promise<Posted>
  /** What the instances wrote to their standard output and error, line by line. */
  readonly lines: string[]
  /** How many instances have exited by themselves. */
  readonly exited: number
  close(): Promise<void>
}

interface Job {
  readonly id: string
  readonly event: object
  readonly resolve: (posted: Posted) => void
  readonly reject: (error: Error) => void
}

/** An instance that has just answered needs a moment before it asks for the next event. */
const patienceMs = 100

const native = fileURLToPath(new URL('native.cjs', import.meta.url))
const client = fileURLToPath(new URL('../../node_modules/aws-lambda-ric/index.mjs', import.meta.url))

/** Starts Lambda for the bundle in `dir`; the function sees `environment` and Lambda's own variables only. */
export async function startRuntime(
  dir: string,
  environment: Record<string, string>,
  { maxInstances = 4, onLine = (_line: string) => {} } = {},
): Promise<Runtime> {
  const queue: Job[] = []
  const idle: ((job: Job) => void)[] = []
  const running = new Map<string, Job>()
  const instances = new Set<ChildProcess>()
  const lines: string[] = []
  const count = { exited: 0, invoked: 0 }
  let closing = false

  function fail(error: Error): void {
    for (const job of [...queue.splice(0), ...running.values()]) job.reject(error)
    running.clear()
  }

  const server = createServer((req, res) => {
    const [, path = '', id = ''] =
      /^\/2018-06-01\/runtime\/(init\/error|invocation\/next|invocation\/([^/]+)\/(?:response|error))$/.exec(
        req.url ?? '',
      ) ?? []
    if (path === 'invocation/next') next(res)
    else if (path === 'init/error') accept(req, res)
    else {
      accept(req, res)
      running.get(id)?.resolve({ kind: path.endsWith('/error') ? 'error' : 'response', request: req })
      running.delete(id)
    }
  })

  function next(res: ServerResponse): void {
    const give = (job: Job) => {
      running.set(job.id, job)
      res.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': job.id,
        'lambda-runtime-deadline-ms': String(Date.now() + 180_000),
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:resolver',
      })
      res.end(JSON.stringify(job.event))
    }
    const job = queue.shift()
    if (job) {
      give(job)
      return
    }
    idle.push(give)
    res.once('close', () => {
      const i = idle.indexOf(give)
      if (i >= 0) idle.splice(i, 1)
    })
  }

  function startFor(job: Job): void {
    if (queue.includes(job) && instances.size < maxInstances) startInstance()
  }

  function startInstance(): void {
    const { port } = server.address() as AddressInfo
    const instance = spawn(process.execPath, ['--require', native, client], {
      env: {
        ...environment,
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
        AWS_LAMBDA_FUNCTION_NAME: 'resolver',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
        AWS_LAMBDA_LOG_GROUP_NAME: 'resolver',
        AWS_LAMBDA_LOG_STREAM_NAME: 'instance',
        LAMBDA_TASK_ROOT: dir,
        _HANDLER: 'index.handler',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    instances.add(instance)
    for (const input of [instance.stdout, instance.stderr]) {
      createInterface({ input }).on('line', (line) => {
        lines.push(line)
        onLine(line)
      })
    }
    instance.once('exit', (code, signal) => {
      instances.delete(instance)
      if (closing) return
      count.exited += 1
      fail(new Error(`The runtime exited (${signal ?? code}): ${lines.slice(-3).join('\n').slice(0, 2_000)}`))
    })
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    lines,
    get exited() {
      return count.exited
    },
    invoke(event) {
      return new Promise((resolve, reject) => {
        count.invoked += 1
        const job = { id: `request-${count.invoked}`, event, resolve, reject }
        const give = idle.shift()
        if (give) return give(job)
        queue.push(job)
        if (instances.size === 0) startInstance()
        else setTimeout(() => startFor(job), patienceMs)
      })
    },
    async close() {
      closing = true
      const exits = [...instances].map((instance) => once(instance, 'exit'))
      for (const instance of instances) instance.kill('SIGKILL')
      await Promise.all(exits)
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Lambda acknowledges a post when it has all of it. */
function accept(req: IncomingMessage, res: ServerResponse): void {
  req.once('end', () => res.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}'))
  if (req.url?.endsWith('/error')) req.resume()
}
