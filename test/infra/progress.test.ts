/**
 * What a progress bar says; that it appears on terminals only is tested with the commands.
 */
import { expect, test } from 'vitest'
import { describeProgress } from '../../infra/cli/progress.ts'

test.each([
  ['bytes', 0, 40_000_000, 0, '0.0 of 40.0 MB, 0.0 MB/s'],
  ['bytes', 12_000_000, 40_000_000, 4_000, '12.0 of 40.0 MB, 3.0 MB/s, 10 s left'],
  ['files', 500, 20_000, 2_000, '500 of 20,000 files, 250/s, 1 min 18 s left'],
  ['files', 1, 20_000, 1_000, '1 of 20,000 files, 1/s, 5 h 33 min left'],
  ['items', 7, 7, 1_000, '7 of 7 items, 7/s, 0 s left'],
] as const)('%s: %i of %i after %i ms', (unit, done, total, elapsedMs, text) => {
  expect(describeProgress(unit, done, total, elapsedMs)).toBe(text)
})
