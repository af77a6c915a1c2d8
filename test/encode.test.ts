import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { probeCharset } from '../lib/charset.ts'
import { type Chunk, encodeBase64, encodeText } from '../lib/encode.ts'
import { cutAt, eachWay, inPieces, samplesOf } from './pieces.ts'

/** Everything that Node's TextDecoder knows beside UTF-8, by the names of the Encoding Standard. */
const labels = [
  ...[
    'ibm866',
    'iso-8859-2',
    'iso-8859-3',
    'iso-8859-4',
    'iso-8859-5',
    'iso-8859-6',
    'iso-8859-7',
    'iso-8859-8',
  ],
  ...[
    'iso-8859-8-i',
    'iso-8859-10',
    'iso-8859-13',
    'iso-8859-14',
    'iso-8859-15',
    'iso-8859-16',
    'koi8-r',
    'koi8-u',
  ],
  ...[
    'macintosh',
    'windows-874',
    'windows-1250',
    'windows-1251',
    'windows-1252',
    'windows-1253',
    'windows-1254',
  ],
  ...[
    'windows-1255',
    'windows-1256',
    'windows-1257',
    'windows-1258',
    'x-mac-cyrillic',
    'gbk',
    'gb18030',
    'big5',
  ],
  ...['euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr', 'utf-16be', 'utf-16le', 'x-user-defined'],
]

async function bytesOf(chunks: AsyncIterable<Chunk>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of chunks) {
    parts.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : Buffer.from(chunk))
  }
  return Buffer.concat(parts)
}

async function* source(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function base64Of(pieces: readonly Uint8Array[]): Promise<string> {
  return (await bytesOf(encodeBase64(source(pieces)))).toString('latin1')
}

/** The text that a JSON reader gets, after the checks that hold for every text. */
async function textOf(pieces: readonly Uint8Array[], charset: string): Promise<string> {
  const inside = await bytesOf(encodeText(source(pieces), charset))
  expect(isUtf8(inside)).toBe(true)
  const json = `"${inside.toString('utf8')}"`
  expect(json.replaceAll('\\\\', '')).not.toMatch(/\\u[dD][89abAB]|\\u[dD][c-fC-F]/)
  return JSON.parse(json)
}

function oneShot(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function settled(pieces: readonly Uint8Array[], charset: string | undefined): string | undefined {
  const probe = probeCharset(charset)
  for (const piece of pieces) probe.push(piece)
  return probe.finish()
}

describe('base64', () => {
  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
    ['\u00fb\u00ff\u00fe', '+//+'],
  ])('%j is encoded as RFC 4648 says, cut at every place', async (latin1, expected) => {
    for (const pieces of eachWay(Buffer.from(latin1, 'latin1'))) {
      expect(await base64Of(pieces)).toBe(expected)
    }
  })

  test('any bytes in any pieces decode to the same bytes, with padding at the end alone', async () => {
    await fc.assert(
      fc.asyncProperty(inPieces(fc.uint8Array({ maxLength: 400 })), async ({ bytes, pieces }) => {
        const text = await base64Of(pieces)
        expect(text).toMatch(/^[A-Za-z0-9+/]*={0,2}$/)
        expect(text.length % 4).toBe(0)
        expect(Buffer.from(text, 'base64').equals(bytes)).toBe(true)
      }),
    )
  })

  test('pieces that are views into a larger buffer are read from their own place', async () => {
    const whole = Buffer.from('xxhello worldxx')
    expect(await base64Of([new Uint8Array(whole.buffer, whole.byteOffset + 2, 11)])).toBe('aGVsbG8gd29ybGQ=')
  })
})

describe('UTF-8 text', () => {
  test('any text in any pieces is the same text to a JSON reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.infiniteStream(fc.nat()),
        async (text, cuts) => {
          const bytes = Buffer.from(text)
          expect(await textOf(cutAt(bytes, cuts), 'utf-8')).toBe(text)
        },
      ),
    )
  })

  test('a character of each length, a BOM and an emoji survive a cut at every place', async () => {
    for (const pieces of eachWay(Buffer.from('\ufeffa߿€😀'))) {
      expect(await textOf(pieces, 'utf-8')).toBe('\ufeffa߿€😀')
    }
  })

  test('every control character, quote and backslash comes back', async () => {
    const controls =
      '\x00\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f'
    const text = `${controls}"\\/\x7f\x80\x9f\u2028\u2029\ufffe\uffff`
    for (const size of [1, 2, 3, 100]) {
      expect(await textOf(cutEvery(Buffer.from(text), size), 'utf-8')).toBe(text)
    }
  })

  test('text that looks like escapes is left as it is', async () => {
    expect(await textOf([Buffer.from('\\ud8'), Buffer.from('00 \\n \\"')], 'utf-8')).toBe('\\ud800 \\n \\"')
  })

  test('valid UTF-8 is settled as such and the rest as no text, whatever the pieces', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => new Uint8Array(Buffer.from(text))),
    )
    fc.assert(
      fc.property(inPieces(bytes), ({ bytes, pieces }) => {
        const hasUtf16Bom =
          (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
        fc.pre(!hasUtf16Bom)
        expect(settled(pieces, undefined)).toBe(isUtf8(bytes) ? 'utf-8' : undefined)
      }),
      { numRuns: 500 },
    )
  })
})

describe('other encodings', () => {
  test.each([
    ['windows-1252', '80 9f 81 e9', '€Ÿ\x81é'],
    ['windows-1251', 'cf f0 e8 e2 e5 f2', 'Привет'],
    ['iso-8859-2', 'a3 f3 64 bc', 'Łódź'],
    ['iso-8859-15', 'a4 bd', '€œ'],
    ['koi8-r', 'f0 d2 c9', 'При'],
    ['macintosh', '80 ca db', 'Ä\u00a0€'],
    ['shift_jis', '93 fa 96 7b b1', '日本ｱ'],
    ['euc-jp', 'c6 fc cb dc', '日本'],
    ['iso-2022-jp', '1b 24 42 46 7c 4b 5c 1b 28 42 61', '日本a'],
    ['euc-kr', 'c7 d1 b1 db', '한글'],
    ['big5', 'a4 a4 a4 e5', '中文'],
    ['gbk', '80 d6 d0 ce c4', '€中文'],
    ['gb18030', '94 39 da 33 d6 d0', '💩中'],
    ['utf-16le', 'ff fe 61 00 3d d8 00 de', 'a😀'],
    ['utf-16be', 'fe ff 00 61 d8 3d de 00', 'a😀'],
    ['utf-16le', '61 00 ff fe', 'a\ufeff'],
  ])('%s %s reads %j, cut at every place', async (charset, hex, expected) => {
    for (const pieces of eachWay(unhex(hex))) {
      expect(settled(pieces, charset)).toBe(charset)
      expect(await textOf(pieces, charset)).toBe(expected)
    }
  })

  test.each([
    [undefined, 'ff fe 61 00', 'utf-16le'],
    [undefined, 'fe ff 00 61', 'utf-16be'],
    ['utf-16be', 'ff fe 61 00', 'utf-16le'],
    ['utf-16le', 'fe ff 00 61', 'utf-16be'],
    ['windows-1252', 'ff fe 61 00', 'windows-1252'],
    ['no-such-charset', 'ff fe 61 00', 'utf-16le'],
    ['no-such-charset', '61 62', 'utf-8'],
    ['utf-16le', '61', undefined],
    [undefined, '', 'utf-8'],
    [undefined, 'ff', undefined],
  ])('declared %s, the bytes %j are settled as %s, cut at every place', (declared, hex, expected) => {
    for (const pieces of eachWay(unhex(hex))) expect(settled(pieces, declared)).toBe(expected)
  })

  test('bytes that are not valid after all break the answer off, also at the very end', async () => {
    await expect(textOf([unhex('61 00 62')], 'utf-16le')).rejects.toThrow(TypeError)
  })

  test.each(labels)('%s in pieces reads as it does in one', async (charset) => {
    const samples = samplesOf((bytes) => oneShot(bytes, charset) !== undefined)
    const valid = fc
      .array(fc.constantFrom(...samples), { maxLength: 40 })
      .map((parts) => new Uint8Array(Buffer.concat(parts)))
    await fc.assert(
      fc.asyncProperty(inPieces(valid), async ({ bytes, pieces }) => {
        const expected = oneShot(bytes, charset)
        fc.pre(expected !== undefined)
        expect(await textOf(pieces, charset)).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })

  test.each(labels)('%s is settled in pieces as in one, valid or not', (charset) => {
    const samples = samplesOf((bytes) => oneShot(bytes, charset) !== undefined)
    const mostly = fc
      .array(
        fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...samples) }, fc.uint8Array({ maxLength: 2 })),
        {
          maxLength: 20,
        },
      )
      .map((parts) => new Uint8Array(Buffer.concat(parts)))
    fc.assert(
      fc.property(inPieces(mostly), ({ bytes, pieces }) => {
        fc.pre(!charset.startsWith('utf-16') || (bytes[0] ?? 0) < 0xfe)
        expect(settled(pieces, charset)).toBe(oneShot(bytes, charset) === undefined ? undefined : charset)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['utf-16le', '20 20', '3d d8 20 20'],
    ['utf-16be', '20 20', 'd8 3d 20 20'],
    ['gb18030', '61 62', '94 39 ff 39'],
    ['shift_jis', '61 62', '61 81 ff 61'],
    ['euc-kr', '61 62', '61 b0 20 61'],
    ['utf-8', '61 62', 'f0 9f 20 20'],
  ])('an invalid %s sequence across a 64 KiB boundary is found', (charset, unit, wrong) => {
    const bytes = Buffer.alloc(131_072, unhex(unit))
    expect(settled([bytes], charset)).toBe(charset)
    bytes.set(unhex(wrong), 65_534)
    for (const edge of [65_534, 65_535, 65_536, 65_537, 65_538]) {
      expect(settled([bytes.subarray(0, edge), bytes.subarray(edge)], charset)).toBe(undefined)
    }
  })
})

test('what has come in goes out before more is asked for', async () => {
  for (const encode of [encodeBase64, (s: AsyncIterable<Uint8Array>) => encodeText(s, 'utf-8')]) {
    let pulled = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pulled += 1
        yield Buffer.alloc(65_536, 'a')
      }
    }
    let received = 0
    for await (const chunk of encode(endless())) {
      received += chunk.length
      expect(pulled * 65_536 - received).toBeLessThan(65_536)
      if (pulled === 50) break
    }
    expect(pulled).toBe(50)
  }
})

function cutEvery(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

function unhex(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

test('base64 comes in no empty pieces, however the bytes come', async () => {
  const pieces: Chunk[] = []
  const bytes = [[], [1], [2], [], [3], [4, 5, 6], []].map((each) => Uint8Array.from(each))
  for await (const piece of encodeBase64(source(bytes))) pieces.push(piece)
  expect(pieces).toEqual(['AQID', 'BAUG'])
})
