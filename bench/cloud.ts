/**
 * The local cloud as a process of its own. Its parent is told of each change of a file, as a queue would be.
 */
import { startCloud } from '../infra/local/cloud.ts'

const cloud = await startCloud({
  onEvent(event) {
    const isFile = event.Records.every(({ s3 }) => s3.object.key.startsWith('files/'))
    if (isFile) process.send?.({ event: JSON.stringify(event) })
  },
})
process.on('disconnect', () => process.exit(0))
process.send?.(cloud.environment)
