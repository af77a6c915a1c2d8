/**
 * Calls of many clients while a third of all storage calls fail at random, by a seed (`FAULT_SEED` replays one): each
 * reply is right, an outage, a refusal or broken off, and afterwards nothing is left – no call, no timer, no socket.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProxiedService, startProxiedService } from '../proxy.ts'
import { dynamoCases, dynamoThrottling, s3Cases } from './catalogue.ts'
import { ask, expectIdle, judge, listFrame, readFrame } from './client.ts'
import { scheduled } from './schedule.ts'

const seed = process.env.FAULT_SEED ?? `${Date.now()}`
let proxied: ProxiedService
beforeAll(async () => {
  proxied = await startProxiedService({
    FIRST_BYTE_TIMEOUT_MS: '1500',
    IDLE_TIMEOUT_MS: '1000',
    RESPONSE_TIMEOUT_MS: '3000',
  })
})
afterAll(() => proxied.close())

const active = (kind: string) => process.getActiveResourcesInfo().filter((name) => name === kind).length

test(`600 calls among random faults (FAULT_SEED=${seed})`, async () => {
  const { put } = proxied.service
  const files = await Promise.all(
    [0, 1, 1_000, 100_000, 1_000_000].map((size) =>
      put(Buffer.alloc(size, 'x'), { type: 'application/pdf', tags: ['t'] }),
    ),
  )
  const frames = [...files.map(({ fileId }) => readFrame(`files://${fileId}`)), listFrame({ tags: ['t'] })]
  const right = await Promise.all(frames.map(async (frame) => (await ask(proxied, frame)).text))
  await sleep(200)
  const timers = active('Timeout')

  const met = { count: 0 }
  proxied.s3.fault = scheduled(
    seed,
    0.3,
    s3Cases.map(({ fault }) => fault),
    met,
  )
  proxied.dynamo.fault = scheduled(
    seed,
    0.3,
    [...dynamoCases, ...dynamoThrottling].map(({ fault }) => fault),
    met,
  )
  const outcomes = new Map<string, number>()
  let next = 0
  await Promise.all(
    Array.from({ length: 24 }, async () => {
      while (next < 600) {
        const i = next++ % frames.length
        const reply = await ask(proxied, frames[i] ?? '')
        const outcome = judge(reply, right[i] ?? '')
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        expect(reply.ms).toBeLessThan(20_000)
      }
    }),
  )
  expect(
    [...outcomes.keys()].filter((each) => !['right', 'outage', 'aborted', 'refused'].includes(each)),
  ).toEqual([])
  expect(outcomes.get('right')).toBeGreaterThan(60)
  expect(outcomes.get('outage')).toBeGreaterThan(5)
  expect(met.count).toBeGreaterThan(300)

  proxied.heal()
  await expectIdle(proxied)
  for (const [i, frame] of frames.entries())
    expect(judge(await ask(proxied, frame), right[i] ?? '')).toBe('right')
  for (let i = 0; i < 1_500 && active('Timeout') > timers; i += 1) await sleep(10)
  expect(active('Timeout')).toBeLessThanOrEqual(timers)
})

test('the same seed is the same schedule', () => {
  const run = (chosen: string) => {
    const met: number[] = []
    const faults = Array.from({ length: 5 }, (_, i) => () => void met.push(i))
    const schedule = scheduled(chosen, 0.5, faults)
    const pass = Object.assign(() => void met.push(-1), { to: () => {} })
    const req = { headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' } }
    for (let i = 0; i < 50; i += 1) Reflect.apply(schedule, undefined, [req, {}, pass])
    return met
  }
  expect(run('a')).toEqual(run('a'))
  expect(run('a')).not.toEqual(run('b'))
  expect(run('a').filter((fault) => fault >= 0).length).toBeGreaterThan(10)
})
