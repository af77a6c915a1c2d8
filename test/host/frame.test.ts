import { expect, test } from 'vitest'
import { fitFrame } from '../../lib/host/frame.ts'

const text = (length: number) => ({ contents: [{ uri: 'files://x', text: 'x'.repeat(length) }] })

test('a result whose response was small enough is not measured again', () => {
  const unmeasurable: Record<string, unknown> = { toJSON: () => expect.unreachable() }
  expect(() => fitFrame({ result: unmeasurable, bytes: 8_976 }, 10_000, 'files://x')).not.toThrow()
})

test('a result that fits once it is written shortest passes', () => {
  expect(() => fitFrame({ result: text(5_000), bytes: 30_000 }, 10_000, 'files://x')).not.toThrow()
})

test('a result over the limit is -32005 with the size of the frame', () => {
  expect(() => fitFrame({ result: text(9_000), bytes: 9_100 }, 10_000, 'files://x')).toThrow(
    expect.objectContaining({
      code: -32005,
      transport: false,
      data: { uri: 'files://x', size: 10_068, maxSize: 10_000 },
    }),
  )
})

test('a list over the limit is -32005 without a uri', () => {
  const result = { resources: Array.from({ length: 1_000 }, () => ({ uri: 'files://x', name: 'ä' })) }
  expect(() => fitFrame({ result, bytes: 40_000 }, 10_000, undefined)).toThrow(
    expect.objectContaining({ code: -32005, data: { size: 33_039, maxSize: 10_000 } }),
  )
})
