/**
 * Text of others, made safe to show: names, tags and keys may hold what would clear a terminal, move its cursor, or turn
 * the order of the letters round.
 */

const steering = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The text on one line, with each steering character as `\u` and four hex digits. */
export function printable(text: string): string {
  return text.replace(steering, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
