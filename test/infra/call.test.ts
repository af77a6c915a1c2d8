/**
 * `files call`: a host for one call, with a real server over stdio.
 */
import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../harness.ts'

const root = new URL('../..', import.meta.url).pathname
const server = [process.execPath, '--import', 'tsx', 'examples/ts/server.ts']

let service: Service
let uri: string
beforeAll(async () => {
  service = await startService()
  uri = `files://${(await service.put('one\ntwo\n')).fileId}`
})
afterAll(() => service.close())

async function call(tool: string, args: string, ...command: string[]) {
  const options = ['--data', '/nowhere', '--workspace', 'acme', '--user', 'ana', '--server', 'reports', '--']
  const env = {
    ...process.env,
    FILE_RESOLVER_URL: service.url,
    FILE_RESOLVER_TOKEN: await service.token(),
  }
  const all = ['--import', 'tsx', 'infra/cli/main.ts', 'call', tool, args, ...options, ...command]
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, all, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

test('a tool reads the file of its user', async () => {
  expect(await call('summarize', JSON.stringify({ file_uri: uri }), ...server)).toEqual({
    code: 0,
    stdout: '2 lines, 8 characters, beginning "one"\n',
    stderr: '',
  })
})

test('a tool that refuses its arguments reports an error', async () => {
  const ended = await call('summarize', '{"file_uri":1}', ...server)
  expect(ended.code).toBe(1)
  expect(ended.stderr).toBe('error: The tool summarize reports an error.\n')
})

test('a tool that does not exist is an error, and those that do are named', async () => {
  const ended = await call('nothing', '{}', ...server)
  expect(ended.code).toBe(1)
  expect(ended.stderr).toBe('error: The server has no tool nothing. It has: summarize.\n')
})

test('a command that is no server is named', async () => {
  expect(await call('summarize', '{}', 'no-such-command', 'x')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: "no-such-command x" does not become an MCP server: spawn no-such-command ENOENT. ' +
      'It has to speak MCP on standard input and output, and to say all else on standard error.\n',
  })
})

test('arguments that are no object are a wrong command line', async () => {
  const ended = await call('summarize', '[]', ...server)
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain('the arguments must be a JSON object')
})
