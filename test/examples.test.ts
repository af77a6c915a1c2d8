/**
 * The examples of the OpenAPI description are what the service answers, member by member.
 */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerExamples, failureExamples, requestExamples } from '../lib/examples.ts'
import { storeFile } from '../lib/store.ts'
import { type Answer, type Service, startService } from './harness.ts'

const fileId = 'fl_0123456789abcdef01234567'
const uri = `files://${fileId}`

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.put('region,revenue\nnorth,1200\n', { fileId, name: 'revenue.csv' })
  const pdf = { workspaceId: 'pdf', fileId, name: 'msa-2026.pdf', tags: ['contracts'] }
  await service.put('%PDF-1.7\n', pdf)
  const size = 10_485_761
  await storeFile(
    service.stores,
    { ...pdf, workspaceId: 'large', ownerId: 'ana', name: 'large.bin' },
    { stream: Readable.from(Buffer.alloc(size)), size },
  )
})
afterAll(() => service.close())

const inPdf = { workspace: 'pdf' }
const example = (name: string) => requestExamples[name]?.value
const read = (target: string, method = 'ai.nimblebrain/resources/read') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { uri: target },
})
const list = (id: number, params: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'ai.nimblebrain/resources/list',
  params,
})
const filtered = (filter: object) => list(3, { _meta: { filter } })

const answers: Record<string, () => Promise<Answer>> = {
  text: () => service.call(example('read')),
  blob: () => service.call(example('read'), inPdf),
  list: () => service.call(example('list'), inPdf),
  'not-found': () => service.call(read(uri), { user: 'ben' }),
  'too-large': () => service.call(read(uri), { workspace: 'large' }),
  'unknown-method': () => service.call(read(uri, 'ai.nimblebrain/resources/write')),
  scheme: () => service.call(read('https://example.com/x')),
  cursor: () => service.call(list(2, { cursor: 'abc' })),
  'unknown-filter': () => service.call(filtered({ owner: 'ben' })),
  'filter-scheme': () => service.call(filtered({ scheme: 'https' })),
  'filter-type': () => service.call(filtered({ tags: 'contracts' })),
}

test.each(Object.keys(answers))('%s', async (name) => {
  const answer = await answers[name]?.()
  expect(answer?.status).toBe(200)
  expect(answerExamples[name]?.value).toEqual(answer?.body)
})

test('the filtered request finds the file', async () => {
  const answer = await service.call(example('filter'), inPdf)
  expect(answer.body.result.resources).toEqual([
    {
      uri: 'files://fl_0123456789abcdef01234567',
      name: 'msa-2026.pdf',
      mimeType: 'application/pdf',
      size: 9,
    },
  ])
})

const failures: [string, number, unknown, Record<string, string>][] = [
  ['parse-error', 400, '{', {}],
  ['batch', 400, '[]', {}],
  ['invalid-request', 400, '{"id":1}', {}],
  ['read-limit', 400, read(uri), { 'max-read-bytes': '1 MB' }],
  ['unauthorized', 401, '{}', { authorization: 'Bearer x' }],
  ['body-too-large', 413, ' '.repeat(70_000), {}],
  ['not-json', 415, '{}', { 'content-type': 'text/plain' }],
]
test.each(failures)('%s', async (name, status, frame, headers) => {
  const answer = await service.call(frame, {}, { headers })
  expect(answer.status).toBe(status)
  expect(failureExamples[status]?.[name]?.value).toEqual(answer.body)
})

test('every other example is of an answer that is asked for elsewhere', () => {
  const named = [...Object.keys(answers), ...failures.map(([name]) => name)]
  const all = [answerExamples, ...Object.values(failureExamples)].flatMap((group) => Object.keys(group))
  expect(all.filter((name) => !named.includes(name))).toEqual(['rate-limited', 'internal', 'unavailable'])
})
