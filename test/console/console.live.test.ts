/**
 * The console in a real browser: everything that the page offers, used as a developer would.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Stage, startStage } from './browser.ts'

let stage: Stage
let page: Page
beforeAll(async () => {
  stage = await startStage({ RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '100' })
})
afterEach(() => page.context().close())
afterAll(async () => {
  await stage.close()
  expect(stage.foreign).toEqual([])
  expect(stage.problems).toEqual([])
})

const rows = () => page.locator('tbody tr')
const open = (name: string) => page.getByRole('button', { name, exact: true }).click()
const response = () => page.getByRole('region', { name: 'Response' })

/** Uploads a file by its field, as the caller of the page. */
async function upload(name: string, content: string | Buffer) {
  await page.getByText('Upload', { exact: true }).click()
  const buffer = Buffer.from(content)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer })
  await page.getByText(`Stored ${name}.`).waitFor()
}

test('the sample caller sees the samples, and a text opens beside its frames', async () => {
  page = await stage.open('/console')
  await expect.poll(() => rows().count()).toBe(5)
  await open('revenue.csv')
  await page.locator('figure pre', { hasText: 'north,1200' }).waitFor()
  expect(await page.getByRole('region', { name: 'Request' }).textContent()).toContain(
    'ai.nimblebrain/resources/read',
  )
  expect(await response().textContent()).toMatch(/165 B, first byte .* ms, all .* ms/)
  expect(await response().textContent()).toContain('"mimeType": "text/csv"')
})

test('files are filtered by the service, by tag and by type', async () => {
  page = await stage.open('/console')
  await page.getByLabel('tags, all of them').fill('2026')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows().count()).toBe(2)
  await page.getByLabel('type', { exact: true }).first().fill('application/pdf')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows().count()).toBe(1)
  await page.getByRole('button', { name: 'Remove 2026' }).click()
  await page.getByLabel('type', { exact: true }).first().fill('text/nothing')
  await page.keyboard.press('Tab')
  await page.getByText('No file.').waitFor()
})

test('an image and a PDF show themselves', async () => {
  page = await stage.open('/console')
  await open('pixel.png')
  const image = page.locator('figure img')
  await image.waitFor()
  expect(await image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBe(1)
  await open('contract.pdf')
  await expect
    .poll(() => page.frames().some((frame) => frame.url().startsWith('chrome-extension:')))
    .toBe(true)
})

test('another user sees other files, and the address remembers who', async () => {
  page = await stage.open('/console')
  await page.getByLabel('user', { exact: true }).fill('ben')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'salaries.csv' }).waitFor()
  expect(await rows().count()).toBe(3)
  expect(page.url()).toBe(`${stage.url}/console?workspace=acme&user=ben&server=reports`)
  await page.reload()
  await page.getByRole('button', { name: 'salaries.csv' }).waitFor()
})

test('a file is uploaded, tagged, shared, and deleted, and each change shows', async () => {
  page = await stage.open('/console?workspace=own&user=ana&server=s')
  await page.getByText('No file.').waitFor()
  await upload('plan.md', '# Plan\n')
  await open('plan.md')
  await page.locator('figure pre', { hasText: '# Plan' }).waitFor()

  await page.getByLabel('tags', { exact: true }).last().fill('urgent')
  await page.keyboard.press('Enter')
  await page.locator('tbody', { hasText: 'urgent' }).waitFor()
  await page.getByLabel('readers, besides the owner').fill('ben')
  await page.keyboard.press('Enter')
  await page.locator('tbody', { hasText: 'ana + 1' }).waitFor()
  await page.getByLabel('shared with everyone in own').click()
  await page.locator('tbody', { hasText: 'ana, shared' }).waitFor()
  await page.getByRole('button', { name: 'Remove urgent' }).click()
  await expect.poll(() => page.locator('tbody').textContent()).not.toContain('urgent')

  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('plan.md is deleted.').waitFor()
  await expect.poll(() => rows().count()).toBe(0)
})

test('a file that pretends to be a page is shown as text, and runs nothing', async () => {
  page = await stage.open('/console?workspace=hostile&user=ana&server=s')
  await upload('evil.html', '<script>document.title = "owned"</script><img src=x onerror="document.title=1">')
  await open('evil.html')
  await page.locator('figure pre', { hasText: '<script>' }).waitFor()
  await upload(
    'evil.svg',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = 1</script></svg>',
  )
  await open('evil.svg')
  await page.locator('figure img').waitFor()
  expect(await page.title()).toBe('Console – File resolver')
})

test('ten megabytes open, and their frame is shortened', async () => {
  const path = join(tmpdir(), `console-${process.pid}.bin`)
  await writeFile(path, Buffer.alloc(10_485_760, 7))
  page = await stage.open('/console?workspace=large&user=ana&server=s')
  await page.getByText('Upload', { exact: true }).click()
  await page.locator('input[type=file]').setInputFiles(path)
  await page.getByText('Stored ', { exact: false }).waitFor()
  await page.locator('tbody button').first().click()
  await page.locator('figure pre', { hasText: '000000  07 07 07' }).waitFor()
  expect(await response().textContent()).toContain('13,980,416 more characters')
})

test.each([
  ['a missing file', 'Resource not found (-32002)', 'resource-not-found'],
  ['another scheme', 'Invalid params: only files:// URIs can be read (-32602)', 'invalid-params'],
  ['an unknown method', 'Method not found (-32601)', 'method-not-found'],
  ['a batch', 'Invalid Request: send one message, not a batch (-32600)', 'invalid-request'],
  ['no JSON', 'Parse error (-32700)', 'parse-error'],
])('a raw frame with %s is explained, with a link that leads there', async (template, title, anchor) => {
  page = await stage.open('/console')
  await page.getByRole('button', { name: 'Raw frame' }).click()
  await page.getByLabel('start from').selectOption(template)
  await page.getByLabel('body of POST /rpc').press('Control+Enter')
  expect(await page.getByRole('alert').locator('strong').textContent()).toBe(title)
  await page.getByRole('link', { name: 'More about this error' }).click()
  expect(page.url()).toBe(`${stage.url}/guide/docs/errors.md#${anchor}`)
  expect(await page.locator(`h2#${anchor}`).count()).toBe(1)
})

test('a forged token is refused, and a notification is not an error', async () => {
  page = await stage.open('/console')
  await page.getByRole('button', { name: 'Raw frame' }).click()
  await page.getByLabel('credential').selectOption('a forged token')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Unauthorized (401)').waitFor()
  expect(await response().textContent()).toContain('www-authenticate: Bearer error="invalid_token"')
  await page.getByLabel('credential').selectOption('token of the caller')
  await page.getByLabel('start from').selectOption('a notification')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => response().textContent()).toContain('HTTP 202')
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('the bucket drains, refuses, and fills again', async () => {
  page = await stage.open('/console?workspace=acme&user=ana&server=drained')
  const level = async () => Number(await page.getByRole('meter').getAttribute('aria-valuenow'))
  await expect.poll(level).toBe(100)
  await page.getByRole('button', { name: 'Drain' }).click()
  await expect.poll(level, { timeout: 20_000, interval: 50 }).toBeLessThan(50)
  await page.getByText(/calls in .* s, then rate limited/).waitFor()
  await expect.poll(level, { timeout: 30_000 }).toBe(100)
})

test('all of it works by keyboard alone', async () => {
  page = await stage.open('/console')
  await page.getByRole('button', { name: 'notes.txt' }).waitFor()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('notes.txt')
  await page.keyboard.press('Enter')
  await page.locator('figure pre', { hasText: 'Zürich, 東京 and Олесь' }).waitFor()
})

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('nothing overflows in %s at %i pixels', async (colorScheme, width) => {
  page = await stage.open('/console', { colorScheme, viewport: { width, height: 900 } })
  await open('revenue.csv')
  await page.locator('figure pre').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  const style = (name: string) => page.evaluate(`getComputedStyle(document.body).${name}`)
  expect([await style('color'), await style('backgroundColor')]).toEqual(
    colorScheme === 'dark'
      ? ['rgb(228, 232, 238)', 'rgb(20, 23, 28)']
      : ['rgb(27, 36, 48)', 'rgb(246, 247, 249)'],
  )
})

test('the API reference renders, and a request can be tried out', async () => {
  page = await stage.open('/docs')
  await page.getByText('/capability', { exact: true }).click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.locator('.live-responses-table', { hasText: '"maxSize": 10485760' }).waitFor()
})

test('the documentation is at hand, with its pictures', async () => {
  page = await stage.open('/guide/README.md')
  await page.getByRole('link', { name: 'Architecture' }).click()
  await page.getByRole('heading', { name: 'Architecture' }).waitFor()
})
