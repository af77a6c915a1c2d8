/**
 * Some seconds of what `npm run fuzz` does for longer, and every input with which it once found something.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'
import { findings } from './findings.ts'
import { targets } from './targets.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test.each(Object.entries(targets))('%s', async (name, target) => {
  const isSlow = name === 'service' || name === 'token'
  await fc.assert(target(service) as fc.IAsyncProperty<unknown>, { numRuns: isSlow ? 300 : 2_000, seed: 1 })
})

test.each(findings)(
  'the finding of $target with seed $seed does not come back',
  async ({ target, seed, path }) => {
    const property = targets[target]?.(service)
    expect(property).toBeDefined()
    if (property) await fc.assert(property as fc.IAsyncProperty<unknown>, { seed, path, endOnFailure: true })
  },
)
