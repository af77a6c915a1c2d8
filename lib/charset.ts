/**
 * In which encoding a text file's bytes are valid, settled once when the file is indexed so that a read can stream
 * (contract 3): a declared charset that the WHATWG Encoding Standard names, a UTF-16 BOM, else UTF-8. Bytes that are
 * not valid in it are no text at all: the file comes back as a blob, and no byte is ever replaced.
 */
import { TextDecoder } from 'node:util'

/** The label of the decoder that a declared charset names, or undefined when Node's `TextDecoder` knows none. */
export function decoderLabel(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return undefined
  }
}

/** A checker fed with a file's bytes in order; `finish` tells the encoding that they are valid in, if any. */
export interface CharsetProbe {
  push(bytes: Uint8Array): void
  finish(): string | undefined
}

/** Begins to check a file whose media type declared `charset` (or nothing). */
export function probeCharset(charset: string | undefined): CharsetProbe {
  const declared = charset === undefined ? undefined : decoderLabel(charset)
  let head = new Uint8Array(0)
  let decoder: TextDecoder | undefined
  let valid = true

  function decode(bytes: Uint8Array, last: boolean): void {
    if (!valid) return
    try {
      decoder?.decode(bytes, { stream: !last })
    } catch {
      valid = false
    }
  }

  function start(): void {
    decoder = new TextDecoder(withBom(declared, head), { fatal: true })
    decode(head, false)
  }

  return {
    push(bytes) {
      if (decoder) return decode(bytes, false)
      head = Buffer.concat([head, bytes])
      if (head.length >= 2) start()
    },
    finish() {
      if (!decoder) start()
      decode(new Uint8Array(0), true)
      return valid ? decoder?.encoding : undefined
    },
  }
}

/** A UTF-16 BOM decides where nothing was declared, and between the two byte orders of a declared UTF-16. */
function withBom(declared: string | undefined, head: Uint8Array): string {
  const bom =
    head[0] === 0xff && head[1] === 0xfe
      ? 'utf-16le'
      : head[0] === 0xfe && head[1] === 0xff
        ? 'utf-16be'
        : undefined
  if (bom && (declared === undefined || declared.startsWith('utf-16'))) return bom
  return declared ?? 'utf-8'
}
