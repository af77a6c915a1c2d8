/**
 * Numbers, frames and bytes as people read them.
 */

/** A size in bytes with a unit. */
export function formatSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_024 ** 2) return `${(bytes / 1_024).toFixed(1)} KiB`
  return `${(bytes / 1_024 ** 2).toFixed(1)} MiB`
}

/** A duration in milliseconds. */
export function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms).toLocaleString('en')} ms`
}

const maxShownChars = 600

/** A JSON text, indented, with long strings cut; any other text as it is, cut as well. */
export function formatJson(text: string): string {
  try {
    const shorten = (_: string, value: unknown) => (typeof value === 'string' ? shortened(value) : value)
    return JSON.stringify(JSON.parse(text), shorten, 2)
  } catch {
    return shortened(text)
  }
}

function shortened(text: string): string {
  if (text.length <= maxShownChars) return text
  const rest = text.length - maxShownChars
  return `${text.slice(0, maxShownChars)}… (${rest.toLocaleString('en')} more characters)`
}

/** The first bytes in hexadecimal, sixteen a line, with what is printable beside them. */
export function hexDump(bytes: Uint8Array, maxBytes = 512): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(bytes.length, maxBytes); at += 16) {
    const row = Array.from(bytes.subarray(at, Math.min(at + 16, maxBytes)))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`)
  }
  return lines.join('\n')
}
