/**
 * What AWS asks and how it behaves, as inputs of the cost model: `prices.json` unless another file is named.
 */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'

const amount = z.number().nonnegative()

/** Dollars by unit, and the figures that are assumed because they cannot be counted on one machine. */
export const Prices = z.strictObject({
  region: z.string(),
  asOf: z.string(),
  dollars: z.strictObject({
    dynamoReadPerMillion: amount,
    dynamoWritePerMillion: amount,
    dynamoGbMonth: amount,
    s3GetPerMillion: amount,
    s3GbMonth: amount,
    lambdaRequestPerMillion: amount,
    lambdaGbSecond: amount,
    /** For what is streamed beyond the free bytes of each answer. */
    lambdaStreamedGb: amount,
    /** 0 for a host in the same region. */
    dataOutGb: amount,
    logsGb: amount,
  }),
  assumed: z.strictObject({
    memoryGb: amount,
    /** What Lambda gives of a processor at that memory. */
    vcpus: amount,
    /** One answer of DynamoDB, and one page of a megabyte. */
    dynamoMs: amount,
    dynamoPageMs: amount,
    s3FirstByteMs: amount,
    s3BytesPerSec: amount,
    cpuMsPerCall: amount,
    cpuMsPerMb: amount,
    /** To parse what a query read. */
    cpuMsPerReadUnit: amount,
    /** What a streamed answer may send at any speed, and its speed beyond. */
    freeStreamBytes: amount,
    streamBytesPerSec: amount,
    /** Lambda's own lines in the log for each call. */
    lambdaLogBytes: amount,
  }),
})
export type Prices = z.infer<typeof Prices>

const defaults = new URL('./prices.json', import.meta.url)

/** The prices of the file, or the project's own. Throws for a file that lacks one or has one too many. */
export async function readPrices(path: string | URL = defaults): Promise<Prices> {
  return Prices.parse(JSON.parse(await readFile(path, 'utf8')))
}
