/**
 * The command lines of what measures and of what tries to break things.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { numberFrom } from '../../bench/words.ts'

const root = new URL('../..', import.meta.url).pathname

test.each([
  ['0.3', 0.3],
  ['64', 64],
])('%j is the number %j', (text, value) => {
  expect(numberFrom(0.1, 64)(text)).toBe(value)
})

test.each(['', 'x', '-1', '1e2', '0', '65', ' 1', 'NaN'])('%j is none from 0.1 to 64', (text) => {
  expect(() => numberFrom(0.1, 64)(text)).toThrow('It must be a number from 0.1 to 64.')
})

async function run(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], { cwd: root })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stderr }
}

describe.each([
  ['bench/main.ts', ['--rounds', 'x'], "option '--rounds <n>' argument 'x' is invalid"],
  ['test/soak/main.ts', ['--minutes', 'x'], "option '--minutes <n>' argument 'x' is invalid"],
  [
    'test/fuzz/main.ts',
    ['--target', 'x'],
    "option '--target <name>' argument 'x' is invalid. Allowed choices are",
  ],
  ['test/oracles/main.ts', ['extra'], 'too many arguments'],
])('%s', (script, args, message) => {
  test('has help, and ends with 2 for a wrong command line', async () => {
    expect(await run(script, '--help')).toEqual({ code: 0, stderr: '' })
    const wrong = await run(script, ...args)
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain(message)
  })
})
