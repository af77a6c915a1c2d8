/**
 * The two CRCs that Node has no code for, both reflected and table-driven: CRC-32C (RFC 3720, appendix B.4) and
 * CRC-64/NVME, which is kept as two 32-bit halves because BigInt would be far slower.
 */
const table32 = new Uint32Array(256)
const tableHigh = new Uint32Array(256)
const tableLow = new Uint32Array(256)

for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  let high = 0
  let low = byte
  for (let bit = 0; bit < 8; bit++) {
    crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    const odd = low & 1
    low = (low >>> 1) | (high << 31)
    high >>>= 1
    if (odd) {
      high ^= 0x9a6c9329
      low ^= 0xac4bc9b5
    }
  }
  table32[byte] = crc
  tableHigh[byte] = high
  tableLow[byte] = low
}

/** A running checksum; `digest` gives its bytes, most significant first. */
export interface Running {
  update(bytes: Uint8Array): void
  digest(): Buffer
}

/** A running CRC-32C. */
export function crc32c(): Running {
  let crc = -1
  return {
    update(bytes) {
      for (const byte of bytes) crc = (table32[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8)
    },
    digest() {
      const out = Buffer.alloc(4)
      out.writeUInt32BE(~crc >>> 0)
      return out
    },
  }
}

/** A running CRC-64/NVME. */
export function crc64nvme(): Running {
  let high = -1
  let low = -1
  return {
    update(bytes) {
      for (const byte of bytes) {
        const index = (low ^ byte) & 255
        low = ((low >>> 8) | (high << 24)) ^ (tableLow[index] ?? 0)
        high = (high >>> 8) ^ (tableHigh[index] ?? 0)
      }
    },
    digest() {
      const out = Buffer.alloc(8)
      out.writeUInt32BE(~high >>> 0, 0)
      out.writeUInt32BE(~low >>> 0, 4)
      return out
    },
  }
}
