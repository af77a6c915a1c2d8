import { defineConfig } from 'vitest/config'

/** `npm run test:faults`: storage fails in every way there is, which takes minutes; so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    pool: 'forks',
    maxWorkers: 5, // one for each file: they wait more than they work
    maxConcurrency: 24,
    testTimeout: 280_000,
    hookTimeout: 60_000,
  },
})
