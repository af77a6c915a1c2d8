/**
 * What went wrong with a call and what to do about it, in a sentence, with the place in the documentation.
 */
import type { Exchange } from './exchange.ts'
import { ErrorAnswer } from './wire.ts'

/** An explanation, and the heading of docs/errors.md that has more. */
export interface Explanation {
  readonly title: string
  readonly text: string
  readonly anchor: string
}

const byCode: Record<number, Omit<Explanation, 'title'>> = {
  [-32002]: {
    text: 'There is no such file, or this caller may not see it: another workspace, somebody’s private file, a deleted one. The answers are the same on purpose.',
    anchor: 'resource-not-found',
  },
  [-32004]: {
    text: 'The token bucket of this server in this workspace is empty. Wait retryAfterMs, then send the call again; refusing took no token.',
    anchor: 'rate-limited',
  },
  [-32005]: {
    text: 'The file exists and you may see it, but it is larger than maxSize, so no byte of it was fetched.',
    anchor: 'response-too-large',
  },
  [-32600]: {
    text: 'The body is not one JSON-RPC 2.0 request of at most 64 KiB in JSON, or Max-Read-Bytes is no number.',
    anchor: 'invalid-request',
  },
  [-32601]: {
    text: 'Only ai.nimblebrain/resources/read and ai.nimblebrain/resources/list are served.',
    anchor: 'method-not-found',
  },
  [-32602]: {
    text: 'The parameters break the contract; the data member says which one, and what is supported.',
    anchor: 'invalid-params',
  },
  [-32603]: {
    text: 'Storage does not answer. The dev process’s log has the cause; try again after Retry-After.',
    anchor: 'internal-error',
  },
  [-32700]: { text: 'The body is not JSON in UTF-8.', anchor: 'parse-error' },
}

const unauthenticated = {
  title: 'Unauthorized (401)',
  text: 'No token, or one that cannot be verified: signature, issuer, audience, times, or a claim. An answer never says which.',
  anchor: 'unauthorized',
}
const unanswered = {
  title: 'No answer',
  text: 'The service did not answer, or broke off. Is npm run dev still running?',
  anchor: 'broken-response',
}
const broken = {
  title: 'Incomplete answer',
  text: 'What arrived is not complete JSON: something failed after the answer had begun. Never use it; ask again.',
  anchor: 'broken-response',
}

/** Why the call failed; undefined when it did not. */
export function explain({ status, json, responseBody }: Exchange): Explanation | undefined {
  if (status === 0) return unanswered
  if (status === 401) return unauthenticated
  if (json === undefined) return responseBody === '' && status === 202 ? undefined : broken
  const answer = ErrorAnswer.safeParse(json)
  if (!answer.success) return undefined
  const { code, message } = answer.data.error
  const known = byCode[code]
  return known && { title: `${message} (${code})`, ...known }
}
