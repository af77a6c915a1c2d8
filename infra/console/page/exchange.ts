/**
 * One call of the resolver as it went over the wire, with its times. The request is the very one that a host sends.
 */
import { tokenOf } from './desk.ts'
import type { Caller } from './wire.ts'

/** A request and its response; times in milliseconds since the request was sent. */
export interface Exchange {
  readonly requestHeaders: readonly (readonly [string, string])[]
  readonly requestBody: string
  /** 0 when nothing answered. */
  readonly status: number
  readonly responseHeaders: readonly (readonly [string, string])[]
  readonly responseBody: string
  readonly responseBytes: number
  readonly firstByteMs: number
  readonly totalMs: number
  /** The body as JSON; undefined when it is empty, or is none. */
  readonly json: unknown
}

/** Which credential goes along: one of the local key, none, or one that nobody signed. */
export type Credential = 'signed' | 'none' | 'forged'

/** What may differ from an ordinary call. */
export interface SendOptions {
  readonly credential?: Credential
  readonly maxReadBytes?: string
}

const forgedToken = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJtYWxsb3J5In0.AAAA'

/** Sends a body to /rpc as the caller. */
export async function send(caller: Caller, body: string, options: SendOptions = {}): Promise<Exchange> {
  const { credential = 'signed', maxReadBytes = '' } = options
  const headers = new Headers({ 'content-type': 'application/json' })
  if (credential === 'signed') headers.set('authorization', `Bearer ${await tokenOf(caller)}`)
  if (credential === 'forged') headers.set('authorization', `Bearer ${forgedToken}`)
  if (maxReadBytes !== '') headers.set('max-read-bytes', maxReadBytes)
  const request = { requestHeaders: [...headers], requestBody: body }
  const start = performance.now()
  const sinceStart = () => performance.now() - start
  try {
    const response = await fetch('/rpc', { method: 'POST', headers, body })
    const firstByteMs = sinceStart()
    const bytes = await response.arrayBuffer()
    const totalMs = sinceStart()
    const responseBody = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    return {
      ...request,
      status: response.status,
      responseHeaders: [...response.headers],
      responseBody,
      responseBytes: bytes.byteLength,
      firstByteMs,
      totalMs,
      json: parse(responseBody),
    }
  } catch {
    const nothing = { status: 0, responseHeaders: [], responseBody: '', responseBytes: 0, json: undefined }
    return { ...request, ...nothing, firstByteMs: sinceStart(), totalMs: sinceStart() }
  }
}

/** A frame as a server would write it. */
export function frame(method: 'read' | 'list', params?: object): string {
  const named = { jsonrpc: '2.0', id: nextId++, method: `ai.nimblebrain/resources/${method}` }
  return JSON.stringify(params ? { ...named, params } : named)
}

let nextId = 1

/** The exchange as a command to paste into a shell. */
export function asCurl({ requestHeaders, requestBody }: Exchange): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const headers = requestHeaders.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  return ['curl -s', `${location.origin}/rpc`, ...headers, '-d', quote(requestBody)].join(' ')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
