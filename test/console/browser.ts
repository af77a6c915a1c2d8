/**
 * A real browser without a screen, on a dev service of its own. Every request that leaves this machine, and every error
 * on the page, is kept for the tests to look at.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A dev service with a browser beside it. */
export interface Stage {
  readonly url: string
  readonly problems: string[]
  readonly foreign: string[]
  /** A page in a fresh profile, on the path. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/** Starts both; the service has the environment's variables on top of its defaults. */
export async function startStage(environment: Record<string, string> = {}): Promise<Stage> {
  const browser = await launch()
  const dir = await mkdtemp(join(tmpdir(), 'file-console-'))
  const dev = spawn(
    process.execPath,
    ['--import', 'tsx', 'infra/local/dev.ts', '--data', dir, '--port', '0', '--json'],
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const url = await addressOf(dev)
  const problems: string[] = []
  const foreign: string[] = []
  return {
    url,
    problems,
    foreign,
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        const answered = message.text().startsWith('Failed to load resource') // said of every 4xx and 5xx
        if (message.type() === 'error' && !answered) problems.push(message.text())
      })
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url())
        if (origin !== url && !['blob:', 'data:', 'chrome:', 'chrome-extension:'].includes(protocol)) {
          foreign.push(request.url())
        }
      })
      await page.goto(`${url}${path}`)
      return page
    },
    async close() {
      await browser.close()
      dev.kill('SIGINT')
      await once(dev, 'close')
      await rm(dir, { recursive: true })
    },
  }
}

async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium'
  try {
    return await chromium.launch({ executablePath, args: flags })
  } catch (cause) {
    throw new Error(`No browser at ${executablePath}: install chromium, or set CHROME_PATH.`, { cause })
  }
}

async function addressOf(dev: ChildProcess): Promise<string> {
  if (!dev.stdout) throw new Error('no output')
  for await (const line of createInterface(dev.stdout)) return JSON.parse(line).url
  throw new Error('dev ended without a word')
}
