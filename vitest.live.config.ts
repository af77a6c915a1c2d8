import { defineConfig } from 'vitest/config'

// the tests hand their service AWS_ENDPOINT_URL_S3 and the like, so the one that names the target has a name of its own
process.env.LIVE_ENDPOINT = process.env.AWS_ENDPOINT_URL
delete process.env.AWS_ENDPOINT_URL

/** moto archives nothing, and takes a body of this type for a form. */
const beyondMoto = /^(?!.*(an archived object is 503|x-www-form-urlencoded is text)).*$/

/** `npm run test:live`: the checks and the contract suite against whatever AWS_ENDPOINT_URL names. */
export default defineConfig({
  test: {
    include: ['test/live/*.live.test.ts', 'test/contract/*.test.ts'],
    ...(process.env.LIVE_TARGET === 'moto' ? { testNamePattern: beyondMoto } : {}),
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
