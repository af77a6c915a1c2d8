/** The Python example of the documentation, as a reader runs it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { interpreter } from './rig.ts'

const python = await interpreter('0.2')

test.skipIf(python === undefined)('the example reads files over stdio and over HTTP', async () => {
  const args = ['--import', 'tsx', 'examples/python/main.ts']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout.match(/→ 3 lines, 36 characters, beginning "region,revenue"/g)).toHaveLength(2)
  expect(stdout.match(/→ There is no such file for you\./g)).toHaveLength(2)
  expect(stdout.match(/→ 2 lines, 18 characters, beginning "name,salary"/g)).toHaveLength(2)
})
