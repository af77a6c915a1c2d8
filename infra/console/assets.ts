/**
 * The console's page, bundled in memory whenever it is asked for (some 30 ms): nothing to build beforehand, nothing to
 * restart while one works on it, no file written.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const page = fileURLToPath(new URL('./page', import.meta.url))

/** The page's HTML. */
export function pageHtml(): Promise<string> {
  return readFile(`${page}/index.html`, 'utf8')
}

/** The page's style sheet. */
export function pageStyle(): Promise<string> {
  return readFile(`${page}/style.css`, 'utf8')
}

/** The page's script, as one module. */
export async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${page}/main.tsx`],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}
