/**
 * `npm run build`: the deployable bundles into `dist`, with their sizes.
 */
import { readFileSync, rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { buildFunctions, functionNames } from './bundle.ts'

for (const name of await functionNames()) rmSync(`dist/${name}`, { recursive: true, force: true })
await buildFunctions('dist')
for (const name of await functionNames()) {
  const path = `dist/${name}/index.mjs`
  const bytes = readFileSync(path)
  console.log(`${path}  ${kib(bytes.length)} KiB (${kib(gzipSync(bytes).length)} gzipped)`)
}

function kib(bytes: number): string {
  return (bytes / 1_024).toFixed(0)
}
