/**
 * The bytes that reads are measured with: the kinds of text that differ in how much JSON has to escape.
 */

const size = 10 * 1024 * 1024

/** 10 MiB of each kind. */
export const texts: Readonly<Record<string, () => Buffer>> = {
  prose: () =>
    repeat(
      'The quick brown fox said: "jump", and over the lazy dog it went,\nall day long without any rest at all. ',
    ),
  CSV: () => repeat('2026-12-01,north,1200.50,17,"Müller, Söhne",shipped\n'),
  Cyrillic: () => repeat('Съешь же ещё этих мягких французских булок, да выпей чаю. '),
  'dense JSON': () => repeat('{"id":17,"name":"north","tags":["a","b"],"ok":true,"note":"line\\nline"},'),
  'control characters': () => Buffer.alloc(size, Buffer.from(Array.from({ length: 32 }, (_, i) => i))),
}

/** 10 MiB of bytes without a pattern. */
export function blob(): Buffer {
  const bytes = Buffer.alloc(size)
  let state = 1
  for (let i = 0; i < size; i += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(state, i)
  }
  return bytes
}

function repeat(text: string): Buffer {
  const piece = Buffer.from(text)
  return Buffer.concat([
    Buffer.alloc(size - (size % piece.length), piece),
    Buffer.alloc(size % piece.length, ' '),
  ])
}
