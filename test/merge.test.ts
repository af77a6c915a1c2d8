import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merge } from '../lib/merge.ts'

async function* pagesOf(pages: readonly (readonly string[])[]) {
  for (const page of pages) yield page.map((sk) => ({ sk }))
}

async function merged(sources: readonly (readonly (readonly string[])[])[]): Promise<string[]> {
  const keys: string[] = []
  for await (const batch of merge(sources.map(pagesOf))) keys.push(...batch.map(({ sk }) => sk))
  return keys
}

test.each([
  [[], []],
  [[[]], []],
  [[[[]], [[], []]], []],
  [[[['a', 'b']]], ['a', 'b']],
  [
    [[['a', 'c']], [['b', 'd']]],
    ['a', 'b', 'c', 'd'],
  ],
  [
    [[['a'], ['b']], [['a', 'b']]],
    ['a', 'b'],
  ],
  [
    [
      [['a', 'd'], [], ['e']],
      [[], [], ['b', 'e', 'f']],
    ],
    ['a', 'b', 'd', 'e', 'f'],
  ],
  [
    [[['b']], [['a']], [['b'], ['c']]],
    ['a', 'b', 'c'],
  ],
])('%j merge to %j', async (sources, expected) => {
  expect(await merged(sources)).toEqual(expected)
})

test('any sources in any pages come out in order, each key once', async () => {
  const source = fc
    .tuple(
      fc.uniqueArray(fc.nat(40), { maxLength: 20 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
    )
    .map(([numbers, sizes]) => {
      const keys = numbers.map((n) => String(n).padStart(2, '0')).sort()
      return [...sizes.map((size) => keys.splice(0, size)), keys]
    })
  await fc.assert(
    fc.asyncProperty(fc.array(source, { maxLength: 3 }), async (sources) => {
      expect(await merged(sources)).toEqual([...new Set(sources.flat(2))].sort())
    }),
  )
})

test('what is in order already is given before further pages are asked for', async () => {
  async function* endless() {
    for (let i = 0; ; i += 1) yield [{ sk: String(i).padStart(4, '0') }]
  }
  const batches = merge([endless(), pagesOf([['9999']])])
  expect((await batches.next()).value).toEqual([{ sk: '0000' }])
  expect((await batches.next()).value).toEqual([{ sk: '0001' }])
  await batches.return(undefined)
})
