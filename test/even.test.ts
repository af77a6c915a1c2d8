/**
 * "Not found" takes as long for a file that is hidden as for one that is not there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEven } from '../lib/even.ts'
import { type Service, startService } from './harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test.each(['fl_00000000000000000000000a', 'fl_00000000000000000000000b', 'no-id'])(
  'no “not found” comes before 25 ms have passed (%s)',
  async (fileId) => {
    if (fileId.endsWith('b')) await service.put('secret', { fileId, ownerId: 'bob' })
    const began = performance.now()
    expect((await service.read(`files://${fileId}`)).body.error.code).toBe(-32002)
    // timers may come a millisecond early
    expect(performance.now() - began).toBeGreaterThan(22)
  },
)

test('what has taken longer is not held back', async () => {
  let asked = 0
  await untilEven(1_000, () => 1_025 + asked++)
  expect(asked).toBe(1)
})
