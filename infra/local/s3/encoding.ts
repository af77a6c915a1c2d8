/**
 * URL forms that S3 uses: for keys in events and in listings with `encoding-type=url`, and for signatures.
 */
import { S3Error } from './errors.ts'

/** RFC 3986 percent-encoding, as signature version 4 asks. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A key as events and encoded listings carry it: slashes stay and a space is `+`. */
export function encodeKey(key: string): string {
  return percentEncode(key)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replaceAll('%2A', '*')
    .replaceAll('~', '%7E')
}

/** The decoded text, or 400 InvalidURI. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.")
  }
}
