/**
 * Keeps other web sites out of the developer's console. A page that rebinds its own name to 127.0.0.1 is told by the
 * Host header, one that posts from elsewhere by Origin and Sec-Fetch-Site, and the API asks for a header besides, which
 * no page can send to a foreign origin without a preflight that nobody answers.
 */
import { createMiddleware } from 'hono/factory'

/** The header that every request to the API carries; its value does not matter. */
export const apiHeader = 'x-file-console'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Lets only pages of this very address through. */
export const guard = createMiddleware(async function guard(c, next) {
  const host = c.req.header('host') ?? ''
  if (!loopback.includes(host.replace(/:\d+$/, ''))) {
    return c.json(
      { error: 'Open the console at http://127.0.0.1 or http://localhost: no other name is served.' },
      403,
    )
  }
  const origin = c.req.header('origin')
  const site = c.req.header('sec-fetch-site') ?? 'same-origin'
  const foreign = origin !== undefined && origin !== `http://${host}`
  const navigation = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate'
  if (foreign || (!['same-origin', 'none'].includes(site) && !navigation)) {
    return c.json({ error: 'Another web site may not use the console.' }, 403)
  }
  return await next()
})

/** Lets only requests through that say they mean the API. */
export const apiGuard = createMiddleware(async function apiGuard(c, next) {
  if (c.req.header(apiHeader) === undefined) {
    return c.json({ error: `Requests to the console's API carry the header ${apiHeader}.` }, 403)
  }
  return await next()
})
