/**
 * A front before the service that misbehaves on demand, and counts what it is asked.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the front does with a request to `/rpc`; everything else passes. */
export type Fault =
  | 'pass'
  | 'redirect'
  | 'unavailable'
  | 'refuse'
  | 'gateway'
  | 'cut'
  | 'slow'
  | 'prelude'
  | 'html'
  | 'reset'

/** A running front. */
export interface Front {
  url: string
  /** What happens to the next requests, in turn; the last goes on. */
  faults: Fault[]
  /** `Retry-After` of `unavailable`. */
  retryAfter: string | undefined
  /** Requests to `/rpc` so far. */
  asked: number
  /** Answers that passed a gate of bytes per second. */
  bytesPerSecond: number
  close(): Promise<void>
}

/** Starts a front for the service at `target`. */
export async function startFront(target: string, elsewhere = 'http://127.0.0.1:9/'): Promise<Front> {
  const server = createServer(async (req, res) => {
    if (req.url !== '/rpc') return pass(await fetch(target + req.url), res)
    front.asked += 1
    const fault = (front.faults.length > 1 ? front.faults.shift() : front.faults[0]) ?? 'pass'
    const body = Buffer.concat(await req.toArray())
    if (fault === 'reset') return void req.socket.destroy()
    if (fault === 'redirect') return void res.writeHead(307, { location: elsewhere }).end()
    if (fault === 'refuse') return send(res, 401, '{"error":"invalid_token"}')
    if (fault === 'gateway') return send(res, 502, 'Bad gateway', 'text/plain')
    if (fault === 'html') return send(res, 200, '<p>Sign in</p>', 'text/html')
    if (fault === 'unavailable') {
      if (front.retryAfter !== undefined) res.setHeader('retry-after', front.retryAfter)
      return send(res, 503, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}')
    }
    const headers = Object.entries(req.headers).filter(([name]) =>
      /^(content-type|authorization|max-read)/.test(name),
    )
    const answer = await fetch(`${target}/rpc`, {
      method: 'POST',
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      body,
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (fault === 'prelude') return send(res, 200, `{"statusCode":200}${'\0'.repeat(8)}${bytes.toString()}`)
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (fault === 'cut') {
      res.write(bytes.subarray(0, bytes.length - 5))
      return void setTimeout(() => res.destroy(), 20)
    }
    if (fault !== 'slow') return void res.end(bytes)
    const step = Math.ceil(front.bytesPerSecond / 20)
    for (let at = 0; at < bytes.length && !res.destroyed; at += step) {
      res.write(bytes.subarray(at, at + step))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    res.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: ['pass'],
    retryAfter: '1',
    asked: 0,
    bytesPerSecond: 100_000,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return front
}

function send(res: ServerResponse, status: number, body: string, type = 'application/json'): void {
  res.writeHead(status, { 'content-type': type }).end(body)
}

async function pass(answer: Response, res: ServerResponse): Promise<void> {
  send(res, answer.status, await answer.text(), answer.headers.get('content-type') ?? '')
}
