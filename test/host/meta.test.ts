import { expect, test } from 'vitest'
import { reservedKeys, stripReservedMeta } from '../../lib/host/meta.ts'

const reserved = {
  'ai.nimblebrain/non-advancing': true,
  'ai.nimblebrain/infra-error': true,
  'ai.nimblebrain/skill-activated': 'x',
  'ai.nimblebrain/skill-suppression': {},
  'ai.nimblebrain/source': 'other',
}
const others = {
  'ai.nimblebrain/ui': 1,
  'io.modelcontextprotocol/x': 2,
  filter: { tags: [] },
  progressToken: 3,
}

test('the constants are the keys of the seed page', () => {
  expect(Object.values(reservedKeys).sort()).toEqual(Object.keys(reserved).sort())
})

test('reserved keys go from the _meta of a result, others stay', () => {
  const result = { content: [], _meta: { ...reserved, ...others } }
  expect(stripReservedMeta(result)).toEqual({ content: [], _meta: others })
})

test('all keys under the prefix go on request', () => {
  const result = { _meta: { ...reserved, ...others } }
  expect(stripReservedMeta(result, { all: true })).toEqual({
    _meta: { 'io.modelcontextprotocol/x': 2, filter: { tags: [] }, progressToken: 3 },
  })
})

test.each([
  ['content blocks', (_meta: object) => ({ content: [{ type: 'text', text: 'x', _meta }] })],
  [
    'embedded resources',
    (_meta: object) => ({ content: [{ type: 'resource', resource: { uri: 'a:b', _meta } }] }),
  ],
  ['resource contents', (_meta: object) => ({ contents: [{ uri: 'a:b', text: '', _meta }] })],
  ['listed tools', (_meta: object) => ({ tools: [{ name: 'x', inputSchema: {}, _meta }] })],
  ['listed resources', (_meta: object) => ({ resources: [{ uri: 'a:b', name: 'x', _meta }] })],
  ['listed prompts', (_meta: object) => ({ prompts: [{ name: 'x', _meta }] })],
  [
    'prompt messages',
    (_meta: object) => ({ messages: [{ role: 'user', content: { type: 'text', text: '', _meta } }] }),
  ],
  ['a task', (_meta: object) => ({ task: { taskId: '1', _meta } })],
  ['parameters of a notification', (_meta: object) => ({ method: 'x', params: { _meta } })],
])('reserved keys go from the _meta of %s', (_what, build) => {
  expect(stripReservedMeta(build({ ...reserved, kept: 1 }))).toEqual(build({ kept: 1 }))
})

test('data of the tool is not MCP _meta and stays', () => {
  const result = {
    structuredContent: { _meta: reserved },
    tools: [{ inputSchema: { properties: { _meta: reserved } } }],
  }
  expect(stripReservedMeta(result, { all: true })).toEqual(result)
})

test('a key that only resembles a reserved one stays', () => {
  const _meta = {
    'ai.nimblebrain/infra-errors': 1,
    'AI.nimblebrain/infra-error': 2,
    'ai.nimblebrain.evil/infra-error': 3,
    'ai.nimblebrain': 4,
  }
  expect(stripReservedMeta({ _meta })).toEqual({ _meta })
  expect(stripReservedMeta({ _meta: { ...reserved, ..._meta } }, { all: true })).toEqual({
    _meta: { 'AI.nimblebrain/infra-error': 2, 'ai.nimblebrain.evil/infra-error': 3, 'ai.nimblebrain': 4 },
  })
})

test('the input stays as it was, and an untouched result is the same object', () => {
  const result = Object.freeze({ content: Object.freeze([]), _meta: Object.freeze({ ...reserved, kept: 1 }) })
  stripReservedMeta(result)
  expect(result._meta).toEqual({ ...reserved, kept: 1 })
  const clean = { content: [{ type: 'text', text: 'x' }], _meta: { kept: 1 } }
  expect(stripReservedMeta(clean)).toBe(clean)
})

test.each([[null], [undefined], ['text'], [5], [[]]])('%j is given back', (value) => {
  expect(stripReservedMeta(value)).toBe(value)
})

test('a _meta that is no object and a member named __proto__ do no harm', () => {
  expect(stripReservedMeta({ _meta: null })).toEqual({ _meta: null })
  const result = JSON.parse(
    '{"__proto__":{"_meta":{"ai.nimblebrain/infra-error":true}},"_meta":{"__proto__":{"a":1},"ai.nimblebrain/source":1}}',
  )
  const stripped = stripReservedMeta(result)
  expect(JSON.stringify(stripped)).toBe('{"__proto__":{"_meta":{}},"_meta":{"__proto__":{"a":1}}}')
  expect(Object.getPrototypeOf(stripped)).toBe(Object.prototype)
})

test('a result nested without end does no harm', () => {
  let deep: object = { text: 'x' }
  for (let i = 0; i < 50_000; i += 1) deep = { content: [deep] }
  expect(stripReservedMeta({ deep, _meta: { ...reserved } })._meta).toEqual({})
})
