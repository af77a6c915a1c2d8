import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTurns } from '../../lib/host/turns.ts'
import { type Service, startService } from '../harness.ts'
import { clientOf, connect, optionsOf } from './rig.ts'

const readMethod = 'ai.nimblebrain/resources/read'
let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service?.close())

test.each([1, 2] as const)(
  'two users on one stdio connection each read as themselves, SDK %i',
  async (generation) => {
    const anas = `files://${(await service.put('for ana', { ownerId: 'ana' })).fileId}`
    const bens = `files://${(await service.put('for ben', { ownerId: 'ben' })).fileId}`
    const { run, currentUser } = createTurns()
    const rig = await connect(generation, 'stdio', optionsOf(clientOf(service), { currentUser }))
    const calls = Array.from({ length: 30 }, (_, i) => {
      const user = i % 3 === 0 ? 'ben' : 'ana'
      return run(user, async () => ({
        user,
        anas: await rig.ask(readMethod, { uri: anas }),
        bens: await rig.ask(readMethod, { uri: bens }),
      }))
    })
    const seen = await Promise.all(calls)
    const after = await rig.ask(readMethod, { uri: anas })
    await rig.close()
    for (const { user, anas, bens } of seen) {
      const [own, other] = user === 'ana' ? [anas, bens] : [bens, anas]
      expect(own.result).toMatchObject({ contents: [{ text: `for ${user}` }] })
      expect(other.error?.code).toBe(-32002)
    }
    expect(after.error).toEqual({ code: -32603, message: 'Internal error' })
  },
)

test('calls of one user run together, another user waits for them, in order', async () => {
  const { run, currentUser } = createTurns()
  const log: string[] = []
  const ends: (() => void)[] = []
  const call = (userId: string, name: string) =>
    run(userId, async () => {
      log.push(`${name} for ${currentUser()}`)
      await new Promise<void>((end) => ends.push(end))
    })
  const calls = [
    call('ana', 'a1'),
    call('ana', 'a2'),
    call('ben', 'b1'),
    call('ana', 'a3'),
    call('ben', 'b2'),
  ]
  const settle = async () => {
    await new Promise(setImmediate)
    for (const end of ends.splice(0)) end()
  }
  for (let i = 0; i < 4; i += 1) await settle()
  await Promise.all(calls)
  expect(log).toEqual(['a1 for ana', 'a2 for ana', 'b1 for ben', 'a3 for ana', 'b2 for ben'])
  expect(currentUser()).toBeUndefined()
})

test('a call that fails ends its turn', async () => {
  const { run, currentUser } = createTurns()
  await expect(run('ana', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await run('ben', async () => currentUser())).toBe('ben')
})
