import { defineConfig } from 'vitest/config'

/** The tests that `npm run mutation` holds a change of one line against. */
export default defineConfig({
  test: {
    include: [
      'test/{access,auth,buckets,encode,escape,keys,keys.property,throttle,jwks}.test.ts',
      'test/contract/{access,throttle,not-found}.test.ts',
    ],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
