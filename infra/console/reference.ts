/**
 * The API reference: Swagger UI from node_modules over the running service's own /openapi.json. Requests can be tried
 * out with a token of the local key.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Hono } from 'hono'

const dist = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const assets = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
} as const

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference – File resolver</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const start = `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'example',
})
`

/** The reference, to be mounted under /docs. */
export function createReference(): Hono {
  const reference = new Hono()
  reference.get('/', (c) => c.html(html))
  reference.get('/start.js', (c) => c.body(start, 200, { 'content-type': 'text/javascript' }))
  for (const [name, type] of Object.entries(assets)) {
    reference.get(`/${name}`, async (c) =>
      c.body(new Uint8Array(await readFile(join(dist, name))), 200, { 'content-type': type }),
    )
  }
  return reference
}
