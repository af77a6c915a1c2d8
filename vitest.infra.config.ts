import { defineConfig } from 'vitest/config'

// the offline plan of the cloud: apart from the others, since it installs SST's platform first
export default defineConfig({
  test: {
    include: ['test/sst/**/*.infra.test.ts'],
    globalSetup: ['test/sst/install.ts'],
    pool: 'forks',
    maxWorkers: 1,
    isolate: false, // the files share the plans
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})
