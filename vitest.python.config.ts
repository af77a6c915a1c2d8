import { defineConfig } from 'vitest/config'

/** `npm run test:python`: makes its environments first, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/python/*.live.test.ts'],
    pool: 'forks',
    fileParallelism: false, // the first file makes the environments
    testTimeout: 60_000,
    hookTimeout: 400_000,
  },
})
