/**
 * What every operation is handed besides the call: the store, the clock and the way to tell of a change.
 */
import type { Call, Reply } from './call.ts'
import type { Version } from './entries.ts'
import type { EventName } from './events.ts'
import type { Store } from './store.ts'

/** The emulator's insides. */
export interface Cloud {
  store: Store
  region: string
  now: () => number
  notify(name: EventName, bucket: string, version: Version): void
}

/** One S3 operation: it returns an answer or throws a refusal. */
export type Operation = (call: Call, cloud: Cloud) => Promise<Reply> | Reply

/** The time of a change; S3 keeps whole seconds. */
export function modifiedNow(cloud: Cloud): number {
  return Math.floor(cloud.now() / 1000) * 1000
}

/** An answer that is an XML document. */
export function xmlReply(body: string, headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/xml', ...headers }, body }
}
