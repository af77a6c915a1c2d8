/**
 * The local cloud as a process of its own.
 */
import { startCloud } from '../infra/local/cloud.ts'

const cloud = await startCloud()
process.on('disconnect', () => process.exit(0))
process.send?.(cloud.environment)
