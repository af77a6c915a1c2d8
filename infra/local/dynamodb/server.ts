// A DynamoDB on this machine: dynalite's operations over LevelDB, with the transactions, time to live and
// returned items that dynalite lacks, for the real SDK over real sockets. This file is its HTTP and its life.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import type { Table } from 'dynalite/db/index.js'
import { openDisk } from './disk.ts'
import { DynamoError, isRecord, refuse } from './errors.ts'
import { createLatches } from './latch.ts'
import { createLock } from './lock.ts'
import { createRouter, type Router } from './router.ts'
import { createTokens } from './tokens.ts'
import { createSweep } from './ttl.ts'

/** A running local DynamoDB. */
export interface DynamoEmulator {
  endpoint: string
  port: number
  close(): Promise<void>
}

/**
 * Where it listens (any free port of 127.0.0.1) and keeps its tables (`dir`; in memory without one), and the access key
 * that it asks for: one that nobody can guess keeps web sites out that rebind their name to this machine.
 */
export interface DynamoOptions {
  accessKeyId?: string
  port?: number
  host?: string
  dir?: string
  now?: () => number
}

const sweepEveryMs = 2_000
const maxBodyBytes = 16 * 1024 * 1024
const service = 'com.amazon.coral.service#'

/** Starts a local DynamoDB; refuses a directory that another one has open. */
export async function startDynamo(options: DynamoOptions = {}): Promise<DynamoEmulator> {
  const { port = 0, host = '127.0.0.1', dir, accessKeyId, now = Date.now } = options
  const shared = { disk: await openDisk(dir), tables: new Map<string, Table>(), latches: createLatches() }
  const lock = createLock()
  const route = createRouter(shared, lock, createTokens(now))
  const server = createServer((request, response) => void answer(request, response, route, accessKeyId))
  // Longer than a client keeps an idle socket, or it would now and then send on one that was just closed.
  server.keepAliveTimeout = 120_000

  const sweep = createSweep(shared, now)
  const timer = setInterval(() => lock.shared(sweep).catch((error) => console.error(error)), sweepEveryMs)
  timer.unref()

  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  } catch (error) {
    clearInterval(timer)
    await shared.disk.close()
    throw error
  }
  const address = server.address()
  const actual = typeof address === 'object' && address ? address.port : port

  async function close(): Promise<void> {
    clearInterval(timer)
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
    // What was under way when the connections were cut still finishes.
    await lock.exclusive(() => shared.disk.close())
  }

  return { endpoint: `http://${host}:${actual}`, port: actual, close }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  route: Router,
  accessKeyId: string | undefined,
): Promise<void> {
  try {
    if (request.method === 'GET') return void response.end('healthy: dynamodb.local ')
    const text = await readBody(request)
    const name = /^DynamoDB_20120810\.(\w+)$/.exec(String(request.headers['x-amz-target']))?.[1]
    if (!name) throw new DynamoError({ __type: `${service}UnknownOperationException` })
    authorise(request.headers.authorization, accessKeyId)
    send(response, 200, await route(name, parse(text)))
  } catch (error) {
    // The caller has gone, or we have cut the connection ourselves.
    if (response.destroyed) return
    if (error instanceof DynamoError) return send(response, 400, error.body)
    console.error(error)
    send(response, 500, { __type: `${service}InternalServerError`, message: String(error) })
  }
}

function authorise(authorization: string | undefined, accessKeyId: string | undefined): void {
  if (!authorization) {
    throw new DynamoError({
      __type: `${service}MissingAuthenticationTokenException`,
      message: 'Request is missing Authentication Token',
    })
  }
  if (accessKeyId === undefined || authorization.includes(`Credential=${accessKeyId}/`)) return
  throw new DynamoError({
    __type: `${service}UnrecognizedClientException`,
    message: 'The security token included in the request is invalid.',
  })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) refuse('RequestTooLargeException', 'The request is larger than 16 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {}
  throw new DynamoError({ __type: `${service}SerializationException` })
}

function send(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
    'x-amz-crc32': crc32(text),
    'x-amzn-requestid': randomUUID(),
  })
  response.end(text)
}
