/**
 * Colours for people: only where the stream is a terminal that has them and `NO_COLOR` is not set, never in a pipe.
 */
import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

/** How a text is shown. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** A stream that may be a terminal. */
export type Target = NodeJS.WritableStream & Partial<Pick<WriteStream, 'hasColors'>>

/** The text in a style, if the stream shows one. */
export function paint(style: Style, text: string, stream: Target = process.stdout): string {
  return stream.hasColors?.() ? styleText(style, text) : text
}
