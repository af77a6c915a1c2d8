/**
 * The repository's documentation as pages, so that a link from an error leads to its explanation. Paths are those of
 * the repository, so links between documents work as they stand.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { Marked } from 'marked'
import { gfmHeadingId } from 'marked-gfm-heading-id'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Documents and pictures only; no dot but the one before the extension, so no path leads out. */
const servable = /^(?:[A-Z]+\.md|docs(?:\/[\w-]+)+\.(?:md|svg|png))$/

const types = { md: 'text/html; charset=utf-8', svg: 'image/svg+xml', png: 'image/png' }

/** The documentation, to be mounted under a path. */
export function createGuide(): Hono {
  const guide = new Hono()
  guide.get('/:path{.+}', async function document(c) {
    const path = c.req.param('path')
    const bytes = servable.test(path) ? await readFile(`${root}${path}`).catch(() => undefined) : undefined
    if (!bytes)
      return c.html(shell('Not here', `<p>There is no document <code>${escapeHtml(path)}</code>.</p>`), 404)
    const extension = path.slice(path.lastIndexOf('.') + 1)
    if (extension === 'md') return c.html(shell(path, await render(bytes.toString())))
    return c.body(new Uint8Array(bytes), 200, { 'content-type': types[extension === 'svg' ? 'svg' : 'png'] })
  })
  return guide
}

async function render(markdown: string): Promise<string> {
  return new Marked(gfmHeadingId()).parse(markdown)
}

function shell(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – File resolver</title>
<link rel="stylesheet" href="/console/style.css">
</head>
<body class="guide">
<nav><a href="/console">Console</a> <a href="/docs">API reference</a> <a href="/guide/README.md">README</a></nav>
<main>${content}</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
}
