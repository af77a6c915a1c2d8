import { expect, test } from 'vitest'
import { billOf, durationOf, tapSeconds, type Usage } from '../../bench/bill.ts'
import { Prices, readPrices } from '../../bench/prices.ts'

const prices: Prices = {
  region: 'nowhere',
  asOf: 'never',
  dollars: {
    dynamoReadPerMillion: 0.1,
    dynamoWritePerMillion: 0.5,
    dynamoGbMonth: 0,
    s3GetPerMillion: 0.4,
    s3GbMonth: 0,
    lambdaRequestPerMillion: 0.2,
    lambdaGbSecond: 0.00002,
    lambdaStreamedGb: 0.01,
    dataOutGb: 0.1,
    logsGb: 0.5,
  },
  assumed: {
    memoryGb: 2,
    vcpus: 0.5,
    dynamoMs: 5,
    dynamoPageMs: 10,
    s3FirstByteMs: 20,
    s3BytesPerSec: 1_000_000,
    cpuMsPerCall: 2,
    cpuMsPerMb: 1,
    cpuMsPerReadUnit: 0.5,
    freeStreamBytes: 6_000_000,
    streamBytesPerSec: 2_000_000,
    lambdaLogBytes: 400,
  },
}

const nothing: Usage = {
  readUnits: 0,
  writeUnits: 0,
  s3Gets: 0,
  s3Bytes: 0,
  outBytes: 0,
  logBytes: 0,
  laterPages: 0,
  dynamoSteps: 0,
  leastMs: 0,
}

test('an answer is capped beyond the bytes that are free, and not before', () => {
  expect(tapSeconds(5_999_999, prices)).toBe(0)
  expect(tapSeconds(6_000_000, prices)).toBe(0)
  expect(tapSeconds(14_000_000, prices)).toBe(4)
})

test.each([
  ['nothing but the call itself', {}, 4],
  ['a read whose source is slowest', { dynamoSteps: 1, readUnits: 1, s3Gets: 1, s3Bytes: 50_000 }, 75],
  ['a large answer that the cap holds back', { dynamoSteps: 1, s3Gets: 1, outBytes: 14_000_000 }, 4_025],
  ['a list whose CPU is slowest', { dynamoSteps: 2, readUnits: 96, laterPages: 3 }, 110],
  ['what is not told sooner than all else', { dynamoSteps: 1, leastMs: 25 }, 25],
])('the duration of %s', (_, usage, ms) => {
  expect(durationOf({ ...nothing, ...usage }, prices)).toBe(ms)
})

test('a million calls cost each thing they used, times its price', () => {
  const usage = {
    readUnits: 10,
    writeUnits: 2,
    s3Gets: 1,
    outBytes: 14_000_000,
    logBytes: 600,
    dynamoSteps: 1,
  }
  const { durationMs, total, ...parts } = billOf({ ...nothing, ...usage }, prices)
  expect(durationMs).toBe(4_025)
  expect(parts.dynamoReads).toBeCloseTo(1, 9)
  expect(parts.dynamoWrites).toBeCloseTo(1, 9)
  expect(parts.s3).toBeCloseTo(0.4, 9)
  // requests 0.2, 8.05 million GB-seconds 161, 8,000 GB streamed beyond what is free 80
  expect(parts.lambda).toBeCloseTo(241.2, 6)
  expect(parts.dataOut).toBeCloseTo(1_400, 6)
  expect(parts.logs).toBeCloseTo(0.5, 9)
  expect(total).toBeCloseTo(1_644.1, 6)
})

test("the project's own prices are whole, and a file that lacks one is refused", async () => {
  expect((await readPrices()).assumed.streamBytesPerSec).toBe(2_000_000)
  expect(Prices.safeParse({ ...prices, dollars: {} }).success).toBe(false)
})
