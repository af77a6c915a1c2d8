/**
 * Each storage call of a read and of a list × each fault: the right answer, the error of the contract, or an aborted
 * transfer. Never a truncated JSON that parses, a missing file for an outage, or an empty list for a failure; no wait
 * beyond the deadline, nothing left open, and the next request works.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Fault, onlyFor, type ProxiedService, startProxiedService } from '../proxy.ts'
import { type Case, dynamoCases, dynamoThrottling, s3Cases } from './catalogue.ts'
import { ask, expectIdle, judge, listFrame, readFrame } from './client.ts'

const firstByteMs = 1_500
const idleMs = 1_000
const responseMs = 4_000
/** Beyond the deadline: what a busy machine may take, far less than any hang. */
const graceMs = 10_000

let proxied: ProxiedService
let frames: { read: string; list: string; pages: string; missing: string }
const right = { read: '', list: '', pages: '', missing: '' }

beforeAll(async () => {
  proxied = await startProxiedService({
    FIRST_BYTE_TIMEOUT_MS: String(firstByteMs),
    IDLE_TIMEOUT_MS: String(idleMs),
    RESPONSE_TIMEOUT_MS: String(responseMs),
  })
  const { put } = proxied.service
  const { fileId } = await put(Buffer.alloc(300_000, 'all work and no play\n'), {
    type: 'application/pdf',
    tags: ['only'],
  })
  for (let i = 0; i < 120; i += 1) await put('', { name: `${i}.txt`, tags: ['many', 'more'] })
  frames = {
    read: readFrame(`files://${fileId}`),
    missing: readFrame('files://fl_000000000000000000000000'),
    list: listFrame({ tags: ['only'] }),
    pages: listFrame({ tags: ['many', 'more'] }),
  }
  for (const name of ['read', 'list', 'pages', 'missing'] as const)
    right[name] = (await ask(proxied, frames[name])).text
  expect(JSON.parse(right.pages).result.resources).toHaveLength(120)
  expect(JSON.parse(right.list).result.resources).toHaveLength(1)
  expect(JSON.parse(right.missing).error.code).toBe(-32002)
}, 60_000)

afterEach(async () => {
  proxied.heal()
  await expectIdle(proxied)
  expect(judge(await ask(proxied, frames.read), right.read)).toBe('right')
  expect(judge(await ask(proxied, frames.list), right.list)).toBe('right')
})
afterAll(() => proxied.close())

/** Lets so many calls pass before the fault is on. */
function after(calls: number, fault: Fault): Fault {
  let left = calls
  return (req, res, pass) => {
    left -= 1
    if (left >= 0) pass()
    else fault(req, res, pass)
  }
}

async function expectOutcome(name: keyof typeof right, outcome: string, deadlineMs: number) {
  const reply = await ask(proxied, frames[name])
  // an answer of which nothing has been sent yet can still say what is wrong
  const outcomes = outcome === 'aborted' ? ['aborted', 'outage'] : [outcome]
  expect(outcomes).toContain(judge(reply, right[name]))
  expect(reply.ms).toBeLessThan(deadlineMs + graceMs)
}

describe('a read, when the Files table', () => {
  test.each([...dynamoCases, ...dynamoThrottling])('$name', async ({ name, fault, outcome }: Case) => {
    proxied.dynamo.fault = onlyFor('GetItem', fault)
    await expectOutcome('read', outcome, firstByteMs)
    if (name !== 'trickles beyond the time') await expectOutcome('missing', outcome, firstByteMs)
  })
})

describe('a read, when S3', () => {
  test.each(s3Cases)('$name', async ({ fault, outcome, body }: Case) => {
    proxied.s3.fault = fault
    await expectOutcome('read', body ?? outcome, body ? responseMs : firstByteMs)
    await expectOutcome('missing', 'right', firstByteMs)
  })
})

describe('a list, when the first page of the Files table', () => {
  test.each([...dynamoCases, ...dynamoThrottling])('$name', async ({ fault, outcome }: Case) => {
    proxied.dynamo.fault = onlyFor('Query', fault)
    await expectOutcome('list', outcome, firstByteMs)
  })
})

describe('a list, when a later page of the Files table', () => {
  test.each([...dynamoCases, ...dynamoThrottling])('$name', async ({ fault, outcome }: Case) => {
    proxied.dynamo.fault = onlyFor('Query', after(4, fault))
    await expectOutcome('pages', outcome === 'outage' ? 'aborted' : outcome, responseMs)
  })
})

describe('every call, when the Buckets table', () => {
  test.each([...dynamoCases, ...dynamoThrottling.map((each) => ({ ...each, outcome: 'refused' as const }))])(
    '$name',
    async ({ fault, outcome }: Case) => {
      proxied.dynamo.fault = onlyFor('UpdateItem', fault)
      for (const name of ['read', 'missing', 'list'] as const) await expectOutcome(name, outcome, 500)
    },
  )
})
