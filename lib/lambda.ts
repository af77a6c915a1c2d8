/**
 * The front on Lambda: function-URL events in, a streamed response out. Unlike Hono's own bridge it writes the
 * prelude at once (an empty body has no first write otherwise), honours back-pressure, and lets an error reach the
 * runtime, so that a broken answer ends as an error and never as prose inside it.
 */
import type { Writable } from 'node:stream'
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda'
import type { Hono } from 'hono'
import type { AppEnv } from './app.ts'
import { type Body, bodyOf, pump } from './body.ts'
import type { Chunk } from './encode.ts'
import { maxBodyBytes } from './limits.ts'
import type { ResponseTimes } from './node.ts'
import { badRequest, toRequest } from './request.ts'

/** A handler of the Lambda runtime in response-stream mode. */
export type StreamHandler = (
  event: LambdaFunctionURLEvent,
  out: awslambda.HttpResponseStream,
  context: Context,
) => void | Promise<void>

/** The Lambda handler for an app. The runtime's global is there only inside Lambda; elsewhere importing does no harm. */
export function lambdaHandler(app: Hono<AppEnv>, times: ResponseTimes): StreamHandler {
  async function handle(event: LambdaFunctionURLEvent, raw: awslambda.HttpResponseStream) {
    const gone = new AbortController()
    const request = toRequest(incoming(event))
    const env = { signal: gone.signal, body: bodyIn(event) }
    const response = request ? await app.fetch(request, env) : badRequest()
    const out = awslambda.HttpResponseStream.from(raw, preludeOf(response))
    out.write('')
    try {
      await pump(
        watched(await bodyOf(response), () => gone.abort(), times),
        out,
        gone.signal,
      )
      // an error is all that ends the answer: destroying the runtime's stream would end the whole process
      if (gone.signal.aborted) throw new Error('The reader took nothing for too long')
    } finally {
      gone.abort()
    }
    out.end()
    await finished(out)
  }
  // outside Lambda the SDK makes this global too, an empty one
  const runtime: Partial<typeof awslambda> | undefined = globalThis.awslambda
  return runtime?.streamifyResponse?.(handle) ?? handle
}

function incoming(event: LambdaFunctionURLEvent) {
  if (!event.requestContext?.http) throw new Error('This is no event of a function URL (payload 2.0)')
  const { requestContext, rawPath, rawQueryString, headers } = event
  return {
    method: requestContext.http.method,
    target: rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath,
    headers: Object.entries(headers).map(([name, value]) => [name, asBytes(String(value ?? ''))] as const),
  }
}

/** One character a byte, as HTTP has it and Node's server gives it: `fetch` holds no others in a header. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function bodyIn({ body = '', isBase64Encoded }: LambdaFunctionURLEvent): Uint8Array {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').subarray(0, maxBodyBytes + 1)
}

function preludeOf(response: Response) {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
  return { statusCode: response.status, headers, cookies: response.headers.getSetCookie() }
}

/** The body in chunks; `stop` is called when none is asked for in time, or when all take too long (contract 9). */
async function* watched(body: Body, stop: () => void, times: ResponseTimes): AsyncGenerator<Chunk> {
  const idle = setTimeout(stop, times.idleMs)
  const total = setTimeout(stop, times.responseMs)
  try {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      idle.refresh()
      yield chunk
    }
  } finally {
    clearTimeout(idle)
    clearTimeout(total)
  }
}

function finished(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (out.writableFinished || out.destroyed) resolve()
    out.once('finish', resolve)
    out.once('close', resolve)
  })
}
