/**
 * Every fixed bound of the service in one place. Those that an operator may change are in config.ts; these follow
 * from the wire contract or from a limit of S3 or DynamoDB.
 */

/** Largest request body, in bytes; a larger one is 413. */
export const maxBodyBytes = 65_536

/** Longest `params.uri`, in UTF-16 code units. */
export const maxUriLength = 2_048

/** Most distinct tags that one list filter may name. */
export const maxFilterTags = 64

/** Largest tag, in UTF-8 bytes after NFC. */
export const maxTagBytes = 256

/** All tags of one file together, in UTF-8 bytes. */
export const maxTagsBytes = 4_096

/** Most index rows of one file: a change may remove all and add as many, and a transaction has 100 actions. */
export const maxRows = 49

/** Longest S3 key, in UTF-8 bytes. */
export const maxKeyBytes = 1_024

/** Largest object that one S3 PUT can store (5 GiB). */
export const maxPutBytes = 5 * 1024 ** 3

/** Longest media type that is kept, in characters; a longer declaration counts as none. */
export const maxTypeLength = 255

/** The last moment of the year 9999, in epoch milliseconds: later ones are longer as text, and sort wrongly. */
export const lastTimeMs = 253_402_300_799_999

/** How long a tombstone outlives its file: more than the 14 days a queue can keep an event. */
export const tombstoneSec = 30 * 24 * 3_600

/** How long an announced file waits for its object: longer than any upload, and any URL for one, can take. */
export const pendingSec = 30 * 24 * 3_600

/** A workspace, user or server: 1–128 visible ASCII characters (contract 2). */
export const identifierPattern = /^[\x21-\x7e]{1,128}$/
