/**
 * The OpenAPI description before a linter. No answer of 4xx is described for paths that have none.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { openApi } from '../lib/openapi.ts'

const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

test('Redocly finds nothing to say', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'openapi-'))
  const path = join(dir, 'openapi.json')
  await writeFile(path, JSON.stringify(openApi(10_485_760), null, 2))
  const rules = ['--extends', 'recommended-strict', '--skip-rule', 'operation-4xx-response']
  const run = promisify(execFile)(process.execPath, [cli, 'lint', path, ...rules], {
    cwd: dir,
    env: { ...process.env, ...quiet },
  })
  const { stderr } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  expect(stderr).toContain('Your API description is valid.')
  await rm(dir, { recursive: true })
})

test('every example has the shape that it stands beside', () => {
  const document: object = JSON.parse(JSON.stringify(openApi(10_485_760)))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...document, $id: 'http://openapi.test/' })
  let examples = 0
  JSON.stringify(document, (_, value) => {
    if (typeof value !== 'object' || value === null || !value.schema || !value.examples) return value
    const schema = JSON.parse(JSON.stringify(value.schema).replaceAll('"#/', '"http://openapi.test/#/'))
    for (const example of Object.values<{ value: unknown }>(value.examples)) {
      examples += 1
      expect([ajv.validate(schema, example.value), example.value, ajv.errors]).toEqual([
        true,
        example.value,
        null,
      ])
    }
    return value
  })
  expect(examples).toBe(26)
})
