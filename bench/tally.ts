/**
 * Counts what a call makes of storage, on its real traffic: proxies between the service and the emulators ask DynamoDB
 * for the capacity that each request consumes, and count S3's requests and bytes.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'

/** What has passed since the last `reset`. */
export interface Tally {
  readUnits: number
  writeUnits: number
  queries: number
  s3Gets: number
  s3Bytes: number
}

/** Running proxies: the environment that puts them before the storage, and what they count. */
export interface Counters {
  readonly environment: Record<string, string>
  readonly tally: Tally
  reset(): void
  stop(): void
}

const Capacity = z.object({ ConsumedCapacity: z.object({ CapacityUnits: z.number() }) })

/** Starts them before the storage that the environment names. */
export async function startCounters(environment: Record<string, string>): Promise<Counters> {
  const tally: Tally = { readUnits: 0, writeUnits: 0, queries: 0, s3Gets: 0, s3Bytes: 0 }
  const dynamo = await listen(environment.AWS_ENDPOINT_URL_DYNAMODB, (to, req, body, res) => {
    const operation = String(req.headers['x-amz-target']).split('.')[1] ?? ''
    const asked = Buffer.from(
      JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'TOTAL' }),
    )
    to(asked, (answer, status) => {
      countUnits(tally, operation, status, answer)
      res.end(answer)
    })
  })
  const s3 = await listen(environment.AWS_ENDPOINT_URL_S3, (to, _req, body, res) => {
    tally.s3Gets += 1
    to(body, (answer) => {
      tally.s3Bytes += answer.length
      res.end(answer)
    })
  })
  return {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: urlOf(dynamo), AWS_ENDPOINT_URL_S3: urlOf(s3) },
    tally,
    reset() {
      Object.assign(tally, { readUnits: 0, writeUnits: 0, queries: 0, s3Gets: 0, s3Bytes: 0 })
    },
    stop() {
      for (const server of [dynamo, s3]) server.close().closeAllConnections()
    },
  }
}

/**
 * An update whose condition fails tells no capacity, but is charged as if it had written: here always one unit. And
 * a strongly consistent read that finds nothing is charged one unit, which the emulator does not tell of a query.
 */
function countUnits(tally: Tally, operation: string, status: number, answer: Buffer): void {
  const told = status === 200 ? Capacity.parse(JSON.parse(answer.toString())) : undefined
  const units = Math.max(1, told?.ConsumedCapacity.CapacityUnits ?? 1)
  if (operation === 'UpdateItem') tally.writeUnits += units
  else tally.readUnits += units
  if (operation === 'Query') tally.queries += 1
}

type Send = (body: Buffer, done: (answer: Buffer, status: number) => void) => void
type Pass = (to: Send, req: IncomingMessage, body: Buffer, res: ServerResponse) => void

async function listen(target = '', pass: Pass): Promise<Server> {
  const { hostname, port } = new URL(target)
  const server = createServer(async (req, res) => {
    const send: Send = (body, done) => {
      const { method, url: path } = req
      const headers = { ...req.headers, 'content-length': body.length }
      request({ hostname, port, method, path, headers }, async (answer) => {
        const bytes = await whole(answer)
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        done(bytes, answer.statusCode ?? 502)
      }).end(body)
    }
    pass(send, req, await whole(req), res)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
