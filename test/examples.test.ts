/** The example of the documentation, as a reader runs it. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const answers = [
  '3 lines, 36 characters, beginning "region,revenue"',
  '2 lines, 26 characters, beginning "region,revenue"',
  'summarize reads text files, and this one is binary.',
  'There is no such file for you.',
  '2 lines, 18 characters, beginning "name,salary"',
]

test('the TypeScript example reads files over stdio and over HTTP', async () => {
  const args = ['--import', 'tsx', 'examples/ts/main.ts']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const told = stdout.split('\n').flatMap((line) => (line.includes('→ ') ? [line.split('→ ')[1]] : []))
  expect(told).toEqual([...answers, ...answers])
}, 60_000)
