/// <reference path="./.sst/platform/config.d.ts" />

/**
 * The cloud as a table of contents: each file of `infra` is one concern. `npx sst deploy --stage <stage>` builds the
 * functions and deploys; docs/operations.md says what to set first.
 */
export default $config({
  app({ stage }) {
    const isProduction = stage === 'production'
    return {
      name: 'file-resolver',
      version: '4.17.1',
      home: 'aws',
      removal: isProduction ? 'retain' : 'remove',
      protect: isProduction,
      providers: { aws: { defaultTags: { tags: { app: 'file-resolver', stage } } } },
    }
  },
  async run() {
    const { execFileSync } = await import('node:child_process')
    execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })

    await import('./infra/defaults.ts')
    const { isPermanent } = await import('./infra/stage.ts')
    const { files, filesBucket, filesWriter } = await import('./infra/storage.ts')
    const { resolver } = await import('./infra/api.ts')
    const { indexQueue } = await import('./infra/indexer.ts')
    if (isPermanent) await import('./infra/monitoring.ts')

    return {
      url: resolver.url,
      bucket: filesBucket.name,
      table: files.name,
      queue: indexQueue.url,
      filesWriterPolicy: filesWriter.arn,
    }
  },
})
