/**
 * The arithmetic of the cost model: what a call used, times the prices. Nothing here is measured.
 */
import type { Prices } from './prices.ts'

/** What one call used, as counted. */
export interface Usage {
  /** DynamoDB's units: a read of 4 KB, a write of 1 KB. */
  readonly readUnits: number
  readonly writeUnits: number
  readonly s3Gets: number
  /** Bytes that S3 sent, that the caller was sent, and that were logged. */
  readonly s3Bytes: number
  readonly outBytes: number
  readonly logBytes: number
  /** Queries that wait for one another beyond the first step of queries. */
  readonly laterPages: number
  /** Steps of DynamoDB that wait for one another. */
  readonly dynamoSteps: number
  /** The answer is not given sooner. */
  readonly leastMs: number
}

/** Dollars for a million calls, and how long one occupies an instance. */
export interface Bill {
  readonly dynamoReads: number
  readonly dynamoWrites: number
  readonly s3: number
  readonly lambda: number
  readonly dataOut: number
  readonly logs: number
  readonly total: number
  readonly durationMs: number
}

/** Seconds that an answer of so many bytes needs by Lambda's cap alone. */
export function tapSeconds(bytes: number, { assumed }: Prices): number {
  return Math.max(0, bytes - assumed.freeStreamBytes) / assumed.streamBytesPerSec
}

/** Milliseconds of an instance: the steps before the first byte, then whichever is slowest of source, CPU and cap. */
export function durationOf(usage: Usage, prices: Prices): number {
  const { assumed } = prices
  const stepsMs = usage.dynamoSteps * assumed.dynamoMs + (usage.s3Gets > 0 ? assumed.s3FirstByteMs : 0)
  const sourceMs = (usage.s3Bytes / assumed.s3BytesPerSec) * 1_000 + usage.laterPages * assumed.dynamoPageMs
  const cpuMs =
    assumed.cpuMsPerCall +
    (usage.outBytes / 1e6) * assumed.cpuMsPerMb +
    usage.readUnits * assumed.cpuMsPerReadUnit
  const bodyMs = Math.max(sourceMs, cpuMs / assumed.vcpus, tapSeconds(usage.outBytes, prices) * 1_000)
  return Math.max(stepsMs + bodyMs, usage.leastMs)
}

/** The bill of a million such calls. */
export function billOf(usage: Usage, prices: Prices): Bill {
  const { dollars, assumed } = prices
  const durationMs = durationOf(usage, prices)
  const streamed = Math.max(0, usage.outBytes - assumed.freeStreamBytes) / 1e3 // GB in a million calls
  const parts = {
    dynamoReads: usage.readUnits * dollars.dynamoReadPerMillion,
    dynamoWrites: usage.writeUnits * dollars.dynamoWritePerMillion,
    s3: usage.s3Gets * dollars.s3GetPerMillion,
    lambda:
      dollars.lambdaRequestPerMillion +
      Math.ceil(durationMs) * 1e3 * assumed.memoryGb * dollars.lambdaGbSecond +
      streamed * dollars.lambdaStreamedGb,
    dataOut: (usage.outBytes / 1e3) * dollars.dataOutGb,
    logs: ((usage.logBytes + assumed.lambdaLogBytes) / 1e3) * dollars.logsGb,
  }
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0)
  return { ...parts, total, durationMs }
}
