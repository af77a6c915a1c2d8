/**
 * A client that tells what came of a call: the whole answer, or the part that arrived before the connection broke.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Who } from '../harness.ts'
import type { ProxiedService } from '../proxy.ts'
import type { Outcome } from './catalogue.ts'

/** What came of a call. */
export interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly isWhole: boolean
  readonly text: string
  readonly ms: number
}

export const readFrame = (uri: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"${uri}"}}`

export const listFrame = (filter: object = {}) =>
  `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/list","params":{"_meta":{"filter":${JSON.stringify(filter)}}}}`

/** Sends the frame over a connection of its own and waits until that ends. */
export async function ask(
  { service }: ProxiedService,
  frame: string,
  who?: Who,
  signal?: AbortSignal,
): Promise<Reply> {
  const began = performance.now()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await service.token(who)}` }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const settle = (isWhole: boolean, status = 0, retryAfter?: string) => {
      const text = Buffer.concat(chunks).toString()
      resolve({ isWhole, status, retryAfter, text, ms: performance.now() - began })
    }
    const req = request(
      `${service.url}/rpc`,
      { method: 'POST', headers, agent: false, ...(signal ? { signal } : {}) },
      (res) => {
        const { statusCode } = res
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => settle(true, statusCode, res.headers['retry-after']))
        res.on('error', () => settle(false, statusCode))
      },
    )
    req.on('error', () => settle(false))
    req.end(frame)
  })
}

/** What a reply is, or a sentence that says what is wrong with it; `right` is the text of the right answer. */
export function judge({ isWhole, status, retryAfter, text }: Reply, right: string): Outcome | string {
  if (!isWhole)
    return status === 200 && isNoJson(text) ? 'aborted' : `broken off with ${status}: ${text.slice(0, 300)}`
  if (status === 200 && text === right) return 'right'
  if (status === 503 && text === outageText && /^[1-9]\d*$/.test(retryAfter ?? '')) return 'outage'
  const retryAfterMs = refusalPattern.exec(text)?.[1]
  if (status === 200 && retryAfterMs && retryAfter === `${Math.ceil(Number(retryAfterMs) / 1_000)}`)
    return 'refused'
  return `answered ${status}: ${text.slice(0, 300)}`
}

const outageText = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'
const refusalPattern =
  /^\{"jsonrpc":"2.0","id":1,"error":\{"code":-32004,"message":"Rate limited","data":\{"retryAfterMs":(1[0-2]\d\d)\}\}\}$/

function isNoJson(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

/** Waits until nothing is under way to any storage; the look-up of a refused read may use up its three attempts. */
export async function expectIdle({ s3, dynamo }: ProxiedService): Promise<void> {
  for (let i = 0; i < 2_500 && s3.open + dynamo.open > 0; i += 1) await sleep(10)
  expect({ s3: s3.open, dynamo: dynamo.open }).toEqual({ s3: 0, dynamo: 0 })
}
