/**
 * S3 event notifications as they lie in a queue: all that is taken from one is which keys it names, since what happened
 * to them is asked of S3.
 */
import * as z from 'zod/mini'
import { decodeFormKey } from './keys.ts'

const Notification = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      s3: z.optional(z.object({ object: z.object({ key: z.string().check(z.minLength(1)) }) })),
    }),
  ),
})

/** What S3 sends when a bucket is connected to a queue. */
const TestMessage = z.object({ Event: z.literal('s3:TestEvent') })

/** Whatever makes, hides, uncovers or removes a version; the names of other kinds are ignored. */
const isChange = /^(s3:)?(ObjectCreated|ObjectRemoved|LifecycleExpiration|ObjectRestore):/

/** The keys that a message's body names, decoded once. Throws when it is no notification of S3. */
export function keysOf(body: string): string[] {
  const message = parse(body)
  if (TestMessage.safeParse(message).success) return []
  const changes = Notification.parse(message).Records.filter(({ eventName }) => isChange.test(eventName))
  return changes.map(({ eventName, s3 }) => {
    if (!s3) throw new Error(`The event ${eventName} names no object`)
    return decodeFormKey(s3.object.key)
  })
}

/** The parser's own error would repeat a piece of the message, and so perhaps the name of a file, in the log. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Error('The message is no JSON')
  }
}
