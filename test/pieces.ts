/**
 * Bytes cut into pieces, for the tests of everything that is fed piece by piece: empty pieces and cuts anywhere.
 */
import fc from 'fast-check'

/** Bytes, and the same bytes in pieces, some of them empty. */
export interface Cut {
  readonly bytes: Uint8Array
  readonly pieces: readonly Uint8Array[]
}

/** The bytes in random pieces. */
export function inPieces(bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Cut> {
  return bytes.chain((whole) =>
    fc
      .array(fc.nat(whole.length), { maxLength: 12 })
      .map((places) => ({ bytes: whole, pieces: cut(whole, places) })),
  )
}

/** The bytes cut at six places drawn from a stream of numbers. */
export function cutAt(bytes: Uint8Array, numbers: Iterator<number>): Uint8Array[] {
  return cut(
    bytes,
    Array.from({ length: 6 }, () => Number(numbers.next().value) % (bytes.length + 1)),
  )
}

/** The bytes (at most 14) in every way that they can be cut, and once with an empty piece between all of them. */
export function* eachWay(bytes: Uint8Array): Generator<Uint8Array[]> {
  const places = Array.from({ length: Math.max(0, bytes.length - 1) }, (_, i) => i + 1)
  for (let set = 0; set < 2 ** places.length; set += 1) {
    yield cut(
      bytes,
      places.filter((_, i) => set & (1 << i)),
    )
  }
  yield cut(bytes, [...places, ...places])
}

/** Short sequences, single bytes and more, that `isValid` accepts alone: building stones of valid texts. */
export function samplesOf(isValid: (bytes: Uint8Array) => boolean): Uint8Array[] {
  const ones = range(0x00, 0xff, 1).map((byte) => [byte])
  const twos = range(0x81, 0xfe, 9).flatMap((lead) => range(0x30, 0xfe, 11).map((trail) => [lead, trail]))
  const wide = range(0x00, 0xff, 5).flatMap((a) => [
    [a, 0xd8, 0x10, 0xdc],
    [0xd8, a, 0xdc, 0x10],
    [0x94, 0x39, 0x81 + (a % 0x7e), 0x30],
    [0x8f, 0xb0, 0xa1 + (a % 0x5e)],
    [0x1b, 0x24, 0x42, 0x30, 0x21 + (a % 0x5e), 0x1b, 0x28, 0x42],
  ])
  return [...ones, ...twos, ...wide].map((bytes) => Uint8Array.from(bytes)).filter(isValid)
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end))
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)
}
