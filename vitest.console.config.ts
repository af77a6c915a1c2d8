import { defineConfig } from 'vitest/config'

/** `npm run test:console`: drives a real browser (`CHROME_PATH`), so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/console/*.live.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
