/**
 * Files of 10 MiB as people have them, for trials of compression: a repeated sentence would flatter every codec.
 */
import { globSync, readFileSync } from 'node:fs'
import { blob } from './texts.ts'

const size = 10 * 1024 * 1024

/** A file, and whether it is served as text. */
export interface Specimen {
  readonly name: string
  readonly isText: boolean
  readonly bytes: Buffer
}

/** A photo or archive has no pattern left; a program stands for binary formats that do; and two kinds of text. */
export function specimens(): Specimen[] {
  return [
    { name: 'blob, no pattern', isText: false, bytes: blob() },
    { name: 'blob, a program', isText: false, bytes: readFileSync(process.execPath).subarray(0, size) },
    { name: 'text, CSV', isText: true, bytes: numbers() },
    { name: 'text, source code', isText: true, bytes: sources() },
  ]
}

function numbers(): Buffer {
  const regions = ['north', 'south', 'east', 'west']
  const lines: string[] = []
  let state = 1
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % below
  }
  for (let length = 0; length < size; ) {
    const day = String(1 + next(28)).padStart(2, '0')
    const line = `2026-${String(1 + next(12)).padStart(2, '0')}-${day},${regions[next(4)]},${next(1e6) / 100},${next(500)},"customer ${next(1e5)}"\n`
    lines.push(line)
    length += line.length
  }
  return Buffer.from(lines.join('')).subarray(0, size)
}

/** Declarations of the packages that are installed, until there are enough. */
function sources(): Buffer {
  const parts: Buffer[] = []
  let length = 0
  for (const path of globSync(
    'node_modules/{typescript,@types,@aws-sdk,zod,hono,jose,vite}/**/*.d.ts',
  ).sort()) {
    const bytes = readFileSync(path)
    parts.push(bytes)
    length += bytes.length
    if (length >= size) break
  }
  const whole = Buffer.concat(parts)
  return whole.subarray(0, Math.min(size, whole.length))
}
