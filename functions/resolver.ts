/**
 * The resolver as Lambda runs it, behind a function URL in response-stream mode.
 */
import { parseConfig } from '../lib/config.ts'
import { lambdaHandler } from '../lib/lambda.ts'
import { createLog } from '../lib/log.ts'
import { createResolver } from './wiring.ts'

const config = parseConfig(process.env)
const log = createLog((line) => process.stdout.write(`${line}\n`))

/** Answers function-URL events. */
export const handler = lambdaHandler(createResolver(config, process.env, log), config)
