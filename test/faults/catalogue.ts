/**
 * What can go wrong between the service and its storage, as faults on real sockets: slow, refused, broken off at every
 * stage, cut, garbled, silent. Each says what may come of it, so that the matrix can be read off here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answering, type Fault, type Relay } from '../proxy.ts'

/**
 * - `right`: the answer is as if nothing had happened
 * - `outage`: 503 and -32603, the error of the contract
 * - `aborted`: the transfer ends early, and what came is no JSON
 * - `refused`: -32004 with `retryAfterMs`
 */
export type Outcome = 'right' | 'outage' | 'aborted' | 'refused'

/** A fault, and what must come of it; `body` where it differs for bytes that are under way to the reader. */
export interface Case {
  readonly name: string
  readonly fault: Fault
  readonly outcome: Outcome
  readonly body?: Outcome
}

/** The storage answers rightly, so many milliseconds late. */
export const late =
  (ms: number): Fault =>
  (_req, _res, pass) =>
    void setTimeout(pass, ms)

/** Collects the true answer and lets `spoil` send what it likes. */
function spoiling(spoil: (body: Buffer, answer: IncomingMessage, res: ServerResponse) => unknown): Fault {
  const relay: Relay = (answer, res) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => spoil(Buffer.concat(chunks), answer, res))
  }
  return (_req, _res, pass) => pass.to(relay)
}

function head(answer: IncomingMessage, res: ServerResponse): void {
  res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
  res.flushHeaders()
}

/** Sends the head and the first half of the body, and then calls `end`. */
const halfThen = (end: (res: ServerResponse) => void): Fault =>
  spoiling((body, answer, res) => {
    head(answer, res)
    res.write(body.subarray(0, body.length / 2), () => end(res))
  })

const reset = (res: ServerResponse) => void res.socket?.resetAndDestroy()
const hangUp = (res: ServerResponse) => void res.socket?.destroy()

/** The head says that only half of the body was to come. */
const halfAsWhole = spoiling((body, { statusCode = 502, headers }, res) => {
  const half = body.subarray(0, body.length / 2)
  res.writeHead(statusCode, { ...headers, 'content-length': half.length }).end(half)
})

/** The body comes in chunks without a length, and ends with no last chunk. */
const cutChunks = spoiling((body, { statusCode = 502, headers }, res) => {
  const { 'content-length': _, ...rest } = headers
  res.writeHead(statusCode, rest)
  res.write(body.subarray(0, body.length / 2), () => hangUp(res))
})

/** One bit of the body is another, in a letter of the last text that is JSON's content and not its grammar. */
const garbled = spoiling((body, answer, res) => {
  const text = body.toString('latin1')
  const at = [...text.matchAll(/[a-z](?=[a-z0-9]*")/g)].at(-1)?.index ?? body.length - 1
  const spoilt = Buffer.from(body)
  spoilt[at] = (spoilt[at] ?? 0) ^ 1
  res.writeHead(answer.statusCode ?? 502, answer.rawHeaders).end(spoilt)
})

/** The body is right and its checksum is that of another. */
const wrongChecksum = spoiling((body, { statusCode = 502, headers }, res) => {
  res.writeHead(statusCode, { ...headers, 'x-amz-crc32': '1' }).end(body)
})

/** The body comes in pieces of so many bytes, one each so many milliseconds. */
export const trickling = (bytes: number, ms: number): Fault =>
  spoiling(async (body, answer, res) => {
    head(answer, res)
    for (let at = 0; at < body.length && !res.destroyed; at += bytes) {
      res.write(body.subarray(at, at + bytes))
      await sleep(ms)
    }
    res.end()
  })

/** The right answer, and behind it another one that nobody asked for. */
const answersTwice = spoiling((body, answer, res) => {
  head(answer, res)
  res.write(body, () => {
    res.socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
  })
  res.end()
})

const writes =
  (bytes: string, end: (res: ServerResponse) => void = () => {}): Fault =>
  (req, res) => {
    req.resume()
    res.socket?.write(bytes, () => end(res))
  }

const dynamoJson = 'application/x-amz-json-1.0'
const dynamoError = (name: string, status = 400) =>
  answering(status, `{"__type":"com.amazonaws.dynamodb.v20120810#${name}","message":"secret"}`, dynamoJson)
const s3Error = (code: string, status: number) =>
  answering(
    status,
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret</Message></Error>`,
    'application/xml',
  )

const outage = (name: string, fault: Fault): Case => ({ name, fault, outcome: 'outage' })
const harmless = (name: string, fault: Fault): Case => ({ name, fault, outcome: 'right' })
/** Breaks after the object's head has come, so that the reader's answer has begun. */
const broken = (name: string, fault: Fault): Case => ({ name, fault, outcome: 'outage', body: 'aborted' })

/** Faults that know nothing of what is asked. */
const onAnyStorage: readonly Case[] = [
  harmless('answers 150 ms late', late(150)),
  harmless('answers twice', answersTwice),
  outage('resets the connection before the head', (_req, res) => reset(res)),
  outage('hangs up without a word', (_req, res) => hangUp(res)),
  outage('resets in the middle of the head', writes('HTTP/1.1 200 OK\r\ncontent-ty', reset)),
  outage('hangs up in the middle of the head', writes('HTTP/1.1 200 OK\r\ncontent-ty', hangUp)),
  outage('speaks no HTTP', writes('+PONG\r\n')),
  outage('says to go on and then nothing', writes('HTTP/1.1 100 Continue\r\n\r\n')),
  outage('accepts and never answers', () => {}),
  outage('stops in the middle of the head', writes('HTTP/1.1 200 OK\r\ncontent-ty')),
  broken(
    'stops after the head',
    spoiling((_body, answer, res) => head(answer, res)),
  ),
  broken(
    'resets after the head',
    spoiling((_body, answer, res) => {
      head(answer, res)
      setTimeout(reset, 20, res)
    }),
  ),
  broken(
    'stops after half of the body',
    halfThen(() => {}),
  ),
  broken('resets after half of the body', halfThen(reset)),
  broken('hangs up after half of the body', halfThen(hangUp)),
  outage('sends chunks without the last', cutChunks),
  outage('sends half of the body as the whole', halfAsWhole),
  outage('answers 200 with nothing', answering(200, '', dynamoJson)),
  outage('answers 200 in HTML', answering(200, '<html>hello</html>', 'text/html')),
  outage('answers 404 in HTML', answering(404, '<html>not found</html>', 'text/html')),
  outage('answers 502 in HTML', answering(502, '<html>bad gateway</html>', 'text/html')),
  outage('redirects', (req, res) => void res.writeHead(301, { location: String(req.url) }).end()),
]

/** Faults of DynamoDB. */
export const dynamoCases: readonly Case[] = [
  ...onAnyStorage,
  harmless('trickles within the time', trickling(100, 5)),
  outage('trickles beyond the time', trickling(1, 100)),
  outage('garbles a letter', garbled),
  outage('sends a wrong checksum', wrongChecksum),
  outage('answers 500', dynamoError('InternalServerError', 500)),
  outage('answers 503', dynamoError('ServiceUnavailable', 503)),
  outage('denies access', dynamoError('AccessDeniedException')),
  outage('knows no such table', dynamoError('ResourceNotFoundException')),
  outage('answers an error that nobody knows', dynamoError('SomethingNewException')),
]

/** Throttling in the words of DynamoDB. */
export const dynamoThrottling: readonly Case[] = [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
].map((name) => outage(`throttles with ${name}`, dynamoError(name)))

/** Faults of S3. */
export const s3Cases: readonly Case[] = [
  ...onAnyStorage,
  harmless('trickles within the time', trickling(4_096, 1)),
  broken('trickles beyond the time', trickling(1, 10)),
  outage('answers 500', s3Error('InternalError', 500)),
  outage('asks to slow down', s3Error('SlowDown', 503)),
  outage('answers ServiceUnavailable', s3Error('ServiceUnavailable', 503)),
  outage('denies access', s3Error('AccessDenied', 403)),
  outage('knows no such bucket', s3Error('NoSuchBucket', 404)),
  outage('answers 404 with nothing', answering(404, '', 'application/xml')),
  outage('answers an error inside of 200', s3Error('InternalError', 200)),
]
