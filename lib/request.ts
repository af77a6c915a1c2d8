/**
 * What both fronts make of an incoming request: a `Request` without its body, which they hand to the app as bytes, since
 * to wrap them in a stream and read it again costs some 50 µs.
 */

/** `fetch` forbids these; the app treats all methods that it does not serve alike, so another name stands for them. */
const forbiddenMethods = ['CONNECT', 'TRACE', 'TRACK']

/** One request as a front received it. */
export interface Incoming {
  readonly method: string
  /** Path and query, or in absolute form the whole URL. */
  readonly target: string
  readonly headers: Iterable<readonly [string, string]>
}

/** The request, or undefined when its target or its headers are none that `fetch` can hold. */
export function toRequest({ method, target, headers }: Incoming): Request | undefined {
  try {
    const url = new URL(target.startsWith('/') ? `http://localhost${target}` : target)
    return new Request(url, {
      method: forbiddenMethods.includes(method) ? 'OTHER' : method,
      headers: new Headers(Array.from(headers, ([name, value]): [string, string] => [name, value])),
    })
  } catch {
    return undefined
  }
}

/** The answer to what is no request. */
export function badRequest(): Response {
  return Response.json({ error: 'bad_request' }, { status: 400 })
}
