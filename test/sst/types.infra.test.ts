/**
 * The configuration is typed against SST's own generated types.
 */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('sst.config.ts and the files of infra that it imports have the types that SST gives them', () => {
  const tsc = () =>
    execFileSync(process.execPath, [
      'node_modules/typescript/bin/tsc',
      '--noEmit',
      '-p',
      'tsconfig.infra.json',
    ])
  expect(tsc).not.toThrow()
})
