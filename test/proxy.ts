/**
 * HTTP proxies between the service and its storage, for tests that count storage calls or need storage to fail in
 * ways that an emulator does not: every fault is a real answer, or a real broken connection, on a real socket.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startCloud } from './cloud.ts'
import { type Service, startService } from './harness.ts'

/** Answers in place of the storage; `pass` lets the request through after all. */
export type Fault = (req: IncomingMessage, res: ServerResponse, pass: Pass) => void

/** Lets the request through, and the answer back as it is, or as `to`'s relay hands it on. */
export interface Pass {
  (): void
  to(relay: Relay): void
}

/** Hands the storage's answer on to the service. */
export type Relay = (answer: IncomingMessage, res: ServerResponse) => void

/** One proxy: what went through it since `calls` was last emptied, and the fault that is on, if any. */
export interface Proxy {
  readonly url: string
  readonly calls: string[]
  /** Requests that are under way, and bytes of answers that were passed on. */
  open: number
  sentBytes: number
  fault: Fault | undefined
  close(): Promise<void>
}

/** A service whose storage can be made to fail. */
export interface ProxiedService {
  readonly service: Service
  readonly s3: Proxy
  readonly dynamo: Proxy
  /** What the service asks of its storage during `run`, in order, both storages together. */
  callsOf(run: () => Promise<unknown>): Promise<string[]>
  /** Storage passes everything again. */
  heal(): void
  close(): Promise<void>
}

/** Starts a service behind proxies; `overrides` are environment variables. */
export async function startProxiedService(overrides: Record<string, string> = {}): Promise<ProxiedService> {
  const cloud = await startCloud()
  const calls: string[] = []
  const s3 = await startProxy(cloud.environment.AWS_ENDPOINT_URL_S3 ?? '', calls)
  const dynamo = await startProxy(cloud.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', calls)
  const service = await startService({
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    ...overrides,
  })
  return {
    service,
    s3,
    dynamo,
    async callsOf(run) {
      calls.length = 0
      await run()
      return [...calls]
    },
    heal() {
      s3.fault = undefined
      dynamo.fault = undefined
    },
    async close() {
      await service.close()
      await Promise.all([s3.close(), dynamo.close()])
      await cloud.close()
    },
  }
}

/** A fault that answers so, whatever is asked. */
export function answering(status: number, body: string, contentType: string): Fault {
  return (req, res) => {
    req.resume()
    res.writeHead(status, { 'content-type': contentType }).end(body)
  }
}

/** A fault for one DynamoDB operation; the others pass. */
export function onlyFor(operation: string, fault: Fault): Fault {
  return (req, res, pass) => (operationOf(req) === operation ? fault(req, res, pass) : pass())
}

async function startProxy(target: string, calls: string[]): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((req, res) => {
    calls.push(operationOf(req))
    proxy.open += 1
    res.on('close', () => {
      proxy.open -= 1
    })
    const to = (relay: Relay) => {
      const { method, url: path, headers } = req
      const upstream = request({ hostname, port, method, path, headers }, (answer) => {
        answer.on('data', (chunk: Buffer) => {
          proxy.sentBytes += chunk.length
        })
        relay(answer, res)
      })
      upstream.on('error', () => res.destroy())
      res.on('close', () => upstream.destroy())
      req.pipe(upstream)
    }
    const pass = Object.assign(() => to(whole), { to })
    if (proxy.fault) proxy.fault(req, res, pass)
    else pass()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    open: 0,
    sentBytes: 0,
    fault: undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

const whole: Relay = (answer, res) => {
  res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
  answer.pipe(res)
}

/** `GetItem` and the like for DynamoDB, `GET object` and the like for S3. */
export function operationOf(req: IncomingMessage): string {
  const target = req.headers['x-amz-target']
  return typeof target === 'string' ? (target.split('.')[1] ?? '') : `${req.method} object`
}
