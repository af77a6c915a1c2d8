/**
 * Every command in the documentation is run, and answers what stands below it. A `sh` block is followed by its answer,
 * in a `json` or `text` block, or by none if only its success matters. Blocks of one document share a shell.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Blocks that are not run, by how they begin, and why. All others are. */
const notRun: Record<string, string> = {
  'npm ci && npm run dev': 'this test runs after npm ci, and on a dev service of its own',
  'npm ci && npm test': 'this test is a part of it',
  'npm ci\nnpm run verify': 'this test is a part of it',
  'npm run bench': 'it takes minutes and a quiet machine; .ci/run has a short one',
  'export TOKEN_ISSUER=https://host.example.com': 'it deploys; test/sst plans the same without an account',
  'npm install ./file-resolver-host': 'test/host packs, installs and type-checks the package',
}

const root = new URL('..', import.meta.url).pathname
const documents = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].sort()
const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

interface Block {
  readonly command: string
  readonly answer: { readonly language: string; readonly text: string } | undefined
}

function blocksOf(document: string): Block[] {
  const fences = Array.from(
    readFileSync(join(root, document), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm),
    ([whole, language = '', text = ''], i) => ({ whole, language, text, i }),
  )
  return fences.flatMap(({ language, text }, i) => {
    const next = fences[i + 1]
    const answer = next && ['json', 'text'].includes(next.language) ? next : undefined
    return language === 'sh' ? [{ command: text, answer }] : []
  })
}

const isRun = ({ command }: Block) => !Object.keys(notRun).some((begin) => command.startsWith(begin))

let dir: string
let dev: ChildProcess
let url: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docs-'))
  const args = ['--import', 'tsx', 'infra/local/dev.ts', '--data', dir, '--port', '0', '--json']
  dev = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  if (!dev.stdout) throw new Error('no output')
  for await (const line of createInterface(dev.stdout)) {
    url = JSON.parse(line).url
    break
  }
})
afterAll(async () => {
  dev.kill('SIGINT')
  await new Promise((resolve) => dev.once('close', resolve))
  await rm(dir, { recursive: true })
})

/** The command for this test's own service: another address, another data folder, and no npm in between. */
function here(command: string): string {
  return command
    .replaceAll('http://127.0.0.1:8787', url)
    .replaceAll(
      'npm run --silent files --',
      `"${process.execPath}" --import tsx infra/cli/main.ts --data "${dir}"`,
    )
}

async function runAll(blocks: readonly Block[]): Promise<string[]> {
  const marker = '\u0001\n'
  const script = blocks.map(({ command }) => `${here(command)}\nprintf '${marker}'\n`).join('')
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, TMPDIR: dir },
  })
  return stdout.replaceAll(url, 'http://127.0.0.1:8787').split(marker)
}

describe('commands and their answers', () => {
  const runnable = documents.filter((document) => blocksOf(document).some(isRun))

  test('there are some', () => {
    expect(runnable).toContain('README.md')
  })

  test.each(runnable)('%s', async (document) => {
    const blocks = blocksOf(document).filter(isRun)
    const outputs = await runAll(blocks)
    for (const [i, { answer }] of blocks.entries()) {
      if (answer?.language === 'json') expect(JSON.parse(outputs[i] ?? '')).toEqual(JSON.parse(answer.text))
      if (answer?.language === 'text') expect(outputs[i]).toBe(answer.text)
    }
  })

  test('no reason not to run a block is out of date', () => {
    const commands = documents.flatMap((document) => blocksOf(document).map(({ command }) => command))
    for (const begin of Object.keys(notRun)) {
      expect(commands.filter((command) => command.startsWith(begin))).not.toEqual([])
    }
  })
})

test.each(documents)('%s: every script that it names exists', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const named = Array.from(text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g), ([, name = '']) => name)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})

test.each(documents)('%s: every link within the repository leads somewhere', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  const links = Array.from(text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link = '']) => link)
  const dead = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = join(root, path === '' ? document : join(dirname(document), path))
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(dead).toEqual([])
})

test('every document is reached from the README by links that the guide of dev can show', () => {
  const reached = ['README.md']
  for (const document of reached) {
    const links = readFileSync(join(root, document), 'utf8').matchAll(/\]\((?!https?:)([^)\s#]+\.md)/g)
    for (const [, link = ''] of links) {
      const path = join(dirname(document), link)
      if (!reached.includes(path)) reached.push(path)
    }
  }
  const isReport = (document: string) => document.startsWith('docs/reports/') // scripts write them
  expect(documents.filter((document) => !reached.includes(document) && !isReport(document))).toEqual([])
})

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
