import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
const notes = 'files://fl_000000000000000000000001'
const revenue = 'files://fl_000000000000000000000002'
const salaries = 'files://fl_000000000000000000000005'

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function start(script: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  })
}

async function run(script: string, args: string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  const child = start(script, args, env)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

let dir: string
let dev: ChildProcess
let url: string

const data = () => join(dir, 'data')
const files = (...args: string[]) => run('infra/cli/main.ts', ['--data', data(), ...args])

async function startDev(...args: string[]): Promise<[ChildProcess, string]> {
  const child = start('infra/local/dev.ts', ['--data', data(), '--port', '0', '--json', ...args])
  if (!child.stdout) throw new Error('no output')
  for await (const line of createInterface(child.stdout)) return [child, JSON.parse(line).url]
  throw new Error('dev ended without a word')
}

async function stopDev(): Promise<number | null> {
  dev.kill('SIGINT')
  const [code] = await once(dev, 'close')
  return code
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'file-resolver-'))
  ;[dev, url] = await startDev()
})

afterAll(async () => {
  await stopDev()
  await rm(dir, { recursive: true })
})

describe('files, on a running dev service', () => {
  test('put prints one URI a line, and cat gives the same bytes back', async () => {
    const path = join(dir, 'größe.bin')
    await writeFile(path, Buffer.from([0, 255, 10, 13, 34]))
    const put = await files('put', path, path, '--workspace', 'cli', '--owner', 'ana')
    expect(put).toMatchObject({ code: 0, stderr: '' })
    expect(put.stdout).toMatch(/^files:\/\/fl_[0-9a-f]{24}\nfiles:\/\/fl_[0-9a-f]{24}\n$/)
    const [uri = ''] = put.stdout.split('\n')
    const cat = await files('cat', uri, '--workspace', 'cli', '--user', 'ana', '--json')
    expect(JSON.parse(cat.stdout)).toEqual({ uri, mimeType: 'application/octet-stream', blob: 'AP8KDSI=' })
  })

  test('put takes name, type, tags, readers and id, and ls shows and filters them', async () => {
    const path = join(dir, 'plain')
    await writeFile(path, 'a,b\n')
    const id = 'fl_aaaaaaaaaaaaaaaaaaaaaaaa'
    const named = [
      '--name',
      'табель.csv',
      '--type',
      'Text/CSV',
      '--tag',
      'x',
      '--tag',
      'y',
      '--reader',
      'ben',
      '--id',
      id,
    ]
    const put = await files('put', path, '--workspace', 'named', '--owner', 'ana', ...named)
    expect(put).toEqual({ code: 0, stdout: `files://${id}\n`, stderr: '' })
    const ls = await files('ls', '--workspace', 'named', '--user', 'ben', '--tag', 'x', '--type', 'text/csv')
    expect(ls.stdout).toBe(`uri                                  name        type      bytes
files://fl_aaaaaaaaaaaaaaaaaaaaaaaa  табель.csv  text/csv  4
`)
    const none = await files('ls', '--workspace', 'named', '--user', 'ben', '--tag', 'z', '--json')
    expect(none.stdout).toBe('[]\n')
  })

  test('a taken id is refused, and so are a missing path and a folder', async () => {
    const path = join(dir, 'taken')
    await writeFile(path, 'x')
    const place = ['--workspace', 'acme', '--owner', 'ana']
    const taken = await files('put', path, ...place, '--id', notes.slice(8))
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain('the id fl_000000000000000000000001 is taken in this workspace')
    expect(await files('put', join(dir, 'nothing'), ...place)).toMatchObject({
      code: 1,
      stderr: `error: There is no file ${join(dir, 'nothing')}.\n`,
    })
    expect((await files('put', dir, ...place)).stderr).toContain('is a folder; name the files in it.')
  })

  test('tag, untag, share, unshare and rename say what the file is now', async () => {
    const ws = ['--workspace', 'acme']
    const said = async (...args: string[]) => (await files(...args, ...ws)).stdout
    expect(await said('tag', notes, 'a', 'b')).toBe(`${notes} notes.txt: private, tags: a, b, draft\n`)
    expect(await said('untag', notes, 'a', 'draft')).toBe(`${notes} notes.txt: private, tags: b\n`)
    expect(await said('share', notes, '--reader', 'ben')).toBe(
      `${notes} notes.txt: private, readers: ben, tags: b\n`,
    )
    expect((await files('cat', notes, ...ws, '--user', 'ben')).stdout).toContain('Zürich, 東京 and Олесь')
    expect(await said('unshare', notes, '--reader', 'ben')).toBe(`${notes} notes.txt: private, tags: b\n`)
    expect(await said('share', notes)).toBe(`${notes} notes.txt: shared with the workspace, tags: b\n`)
    expect(await said('unshare', notes)).toBe(`${notes} notes.txt: private, tags: b\n`)
    expect(await said('rename', notes, 'Notiz 1.txt')).toBe(`${notes} Notiz 1.txt: private, tags: b\n`)
  })

  test('rm deletes once, and says so when there is nothing to delete', async () => {
    const uri = 'files://fl_000000000000000000000004'
    expect(await files('rm', uri, '--workspace', 'acme')).toEqual({
      code: 0,
      stdout: `${uri} deleted\n`,
      stderr: '',
    })
    const again = await files('rm', uri, '--workspace', 'acme')
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('workspace "acme" has no file fl_000000000000000000000004')
  })

  test("a caller who may not see a file meets the resolver's own error", async () => {
    expect(await files('cat', salaries, '--workspace', 'acme', '--user', 'ana')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: Resource not found (-32002) {"uri":"${salaries}"}\n"npm run files -- ls" shows what this user may see.\n`,
    })
  })

  test.each([
    [['bogus'], "unknown command 'bogus'"],
    [['put', 'x'], "required option '--workspace <workspace>' not specified"],
    [['rm', 'http://x', '--workspace', 'w'], '"http://x" is no file URI'],
    [
      ['put', 'a', 'b', '--name', 'n', '--workspace', 'w', '--owner', 'o'],
      '--name and --id go with one path only',
    ],
    [['token', '--workspace', 'w', '--user', 'u', '--server', 's', '--ttl', '901'], 'from 1 to 900'],
    [['token', '--workspace', 'w', '--user', 'u', '--server', 's', '--ttl', '1e2'], 'from 1 to 900'],
  ])('a wrong command line exits with 2: %j', async (args, message) => {
    const ended = await files(...args)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(message)
  })

  test.each([
    ['workspace', ['token', '--workspace', 'a b', '--user', 'u', '--server', 's']],
    ['user', ['token', '--workspace', 'w', '--user', 'josé', '--server', 's']],
    ['server', ['token', '--workspace', 'w', '--user', 'u', '--server', '']],
    ['workspace', ['ls', '--workspace', 'a b', '--user', 'u']],
  ])('no token is signed that the service would refuse for its %s', async (what, args) => {
    expect(await files(...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: the ${what} must be 1 to 128 visible ASCII characters without spaces\n`,
    })
  })

  test('every command has help', async () => {
    const names = ['put', 'ls', 'cat', 'tag', 'untag', 'share', 'unshare', 'rename', 'rm', 'token']
    const helps = await Promise.all(names.map((name) => files(name, '--help')))
    for (const [i, help] of helps.entries()) {
      expect(help).toMatchObject({ code: 0, stderr: '' })
      expect(help.stdout).toContain(`Usage: npm run files -- ${names[i]}`)
    }
  })

  test('a token of the local key is accepted by the service', async () => {
    const token = await files('token', '--workspace', 'acme', '--user', 'ben', '--server', 's')
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.stdout.trim()}`, 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"ai.nimblebrain/resources/read","params":{"uri":"${revenue}"}}`,
    })
    expect(await response.text()).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"${revenue}","mimeType":"text/csv","text":"region,revenue\\nnorth,1200\\nsouth,950\\n"}]}}`,
    )
  })

  test('a dev service is worked on whatever else the environment names, and a note says so', async () => {
    const ls = ['--data', data(), 'ls', '--workspace', 'acme', '--user', 'ana', '--tag', '2026']
    const production = { FILES_BUCKET: 'production', FILE_RESOLVER_URL: 'https://files.example.com' }
    const noted = await run('infra/cli/main.ts', ls, production)
    expect(noted.code).toBe(0)
    expect(noted.stdout).toContain(revenue)
    expect(noted.stderr).toBe(
      `note: working on the dev service of ${data()}, whatever FILES_BUCKET and FILE_RESOLVER_URL may say; ` +
        'to work elsewhere, stop it or name another --data.\n',
    )
    expect(
      (await run('infra/cli/main.ts', ls, { FILES_BUCKET: 'files', FILE_RESOLVER_URL: url })).stderr,
    ).toBe('')
  })

  test('without a dev service, the error says how to name one', async () => {
    const nowhere = ['--data', join(dir, 'nowhere')]
    const ls = await run('infra/cli/main.ts', [...nowhere, 'ls', '--workspace', 'w', '--user', 'u'])
    expect(ls.code).toBe(1)
    expect(ls.stderr).toContain(
      'Start one with "npm run dev", name its folder with --data, or set FILE_RESOLVER_URL.',
    )
    const put = await run('infra/cli/main.ts', [...nowhere, 'rm', notes, '--workspace', 'w'])
    expect(put.code).toBe(1)
    expect(put.stderr).toContain('or set FILES_BUCKET and FILES_TABLE')
  })
})

describe('dev', () => {
  test('a second start on the same folder is refused, a wrong variable is named, a wrong port is explained', async () => {
    const second = await run('infra/local/dev.ts', ['--data', data(), '--port', '0'])
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`runs already on ${data()}, at ${url}`)
    const other = ['--data', join(dir, 'other'), '--port', '0']
    const wrong = await run('infra/local/dev.ts', other, { RATE_LIMIT_BURST: '', MAX_READ_BYTES: '10MB' })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('RATE_LIMIT_BURST: must be a whole number in digits')
    expect(wrong.stderr).toContain('MAX_READ_BYTES: must be a whole number in digits')
    const { port } = new URL(url)
    const busy = await run('infra/local/dev.ts', ['--data', join(dir, 'other'), '--port', port])
    expect(busy.code).toBe(1)
    expect(busy.stderr).toContain(`Port ${port} is in use`)
    const away = await run('infra/local/dev.ts', other, { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' })
    expect([away.code, away.stderr]).toEqual([
      1,
      'Nothing answers at http://127.0.0.1:1, which AWS_ENDPOINT_URL names: correct it, or unset it.\n',
    ])
  })

  test('a wrong command line ends with 2, and asking for help with 0', async () => {
    const wrong = await run('infra/local/dev.ts', ['--port', 'x'])
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('It must be a whole number from 0 to 65535.')
    expect((await run('infra/local/dev.ts', ['--help'])).code).toBe(0)
  })

  test.each([
    ['9999', ['9999'], { npm_config_port: 'true' }],
    ['no value that was left', [], { npm_config_port: '9999', npm_config_json: 'true' }],
  ])('a flag that npm has taken starts nothing: %s', async (_, args, env) => {
    const ended = await run('infra/local/dev.ts', args, env)
    expect([ended.code, ended.stdout]).toEqual([2, ''])
    expect(ended.stderr).toContain(
      'npm has taken --port for itself: write "--" after "dev", as in npm run dev -- --port\n',
    )
  })

  test('every request that it prints works when pasted', async () => {
    const child = start('infra/local/dev.ts', ['--data', join(dir, 'printed'), '--port', '0'])
    let text = ''
    child.stdout?.on('data', (chunk) => (text += chunk))
    while (!text.includes('Store a file of your own'))
      await once(child.stdout as NodeJS.ReadableStream, 'data')
    const [, tokenArgs = ''] = /TOKEN=\$\(npm run --silent files -- (.*)\)/.exec(text) ?? []
    const args = tokenArgs.split(' ').map((arg) => arg.replaceAll('"', ''))
    const token = (await run('infra/cli/main.ts', args)).stdout.trim()
    const bodies: string[] = []
    for (const line of text.split('\n').filter((line) => line.startsWith('  curl'))) {
      const [, address = ''] = /curl -s (\S+)/.exec(line) ?? []
      const [, body] = / -d '(.*)'$/.exec(line) ?? []
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(address, body ? { method: 'POST', headers, body } : {})
      bodies.push(await response.text())
    }
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(bodies).toHaveLength(4)
    expect(JSON.parse(bodies[0] ?? '').result.resources).toHaveLength(5)
    expect(JSON.parse(bodies[1] ?? '').result.resources.map((r: { name: string }) => r.name)).toEqual([
      'revenue.csv',
      'contract.pdf',
    ])
    expect(JSON.parse(bodies[2] ?? '').result.contents[0].text).toBe(
      'region,revenue\nnorth,1200\nsouth,950\n',
    )
    expect(JSON.parse(bodies[3] ?? '').read).toEqual({ enabled: true, range: false, maxSize: 10485760 })
  })

  test('Ctrl-C stops it cleanly, and a restart keeps everything and brings no deleted sample back', async () => {
    const put = await files('put', join(root, 'tsconfig.json'), '--workspace', 'kept', '--owner', 'ana')
    const uri = put.stdout.trim()
    await files('rm', salaries, '--workspace', 'acme')
    expect(await stopDev()).toBe(0)
    ;[dev, url] = await startDev()
    const cat = await files('cat', uri, '--workspace', 'kept', '--user', 'ana')
    expect(cat.stdout).toBe(await readFile(join(root, 'tsconfig.json'), 'utf8'))
    expect((await files('cat', salaries, '--workspace', 'acme', '--user', 'ben')).code).toBe(1)
  })
})
