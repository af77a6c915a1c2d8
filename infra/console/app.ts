/**
 * Everything that `npm run dev` serves beside the resolver: the console, its API, the API reference, the documentation.
 * Only this machine's own pages get in, and no page loads anything from elsewhere.
 */
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { type ApiDeps, createApi } from './api.ts'
import { pageHtml, pageScript, pageStyle } from './assets.ts'
import { apiGuard, guard } from './guard.ts'
import { createGuide } from './guide.ts'
import { createReference } from './reference.ts'

/** The first parts of the paths that the console's app answers. */
export const consolePaths = ['console', 'docs', 'guide']

/** A file that is shown is untrusted: it may be seen in a frame or an image of its own, and never run here. */
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'", 'blob:', 'data:'],
  frameSrc: ['blob:'],
  objectSrc: ['blob:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

/** The console's app. */
export function createConsole(deps: ApiDeps): Hono {
  const app = new Hono()
  app.use(secureHeaders({ contentSecurityPolicy, strictTransportSecurity: false, xFrameOptions: 'DENY' }))
  app.use(guard)
  app.use(async function noStore(c, next) {
    await next()
    c.header('cache-control', 'no-store')
  })

  app.get('/console', async (c) => c.html(await pageHtml()))
  app.get('/console/', (c) => c.redirect('/console'))
  app.get('/console/style.css', async (c) => c.body(await pageStyle(), 200, { 'content-type': 'text/css' }))
  app.get('/console/main.js', async (c) =>
    c.body(await pageScript(), 200, { 'content-type': 'text/javascript' }),
  )
  app.use('/console/api/*', apiGuard)
  app.route('/console/api', createApi(deps))
  app.get('/docs/', (c) => c.redirect('/docs'))
  app.route('/docs', createReference())
  app.route('/guide', createGuide())
  return app
}
