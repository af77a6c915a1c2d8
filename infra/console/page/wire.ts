/**
 * What the page reads of answers: the resolver's on /rpc, and those of the console's own API.
 */
import * as z from 'zod/mini'

/** Who asks. */
export interface Caller {
  readonly workspace: string
  readonly user: string
  readonly server: string
}

/** What the page is told when it starts. */
export const Context = z.object({
  caller: z.object({ workspace: z.string(), user: z.string(), server: z.string() }),
  maxReadBytes: z.number(),
  rate: z.object({ perSecond: z.number(), burst: z.number() }),
})
export type Context = z.infer<typeof Context>

/** A resource as a list tells it. */
export const Resource = z.object({
  uri: z.string(),
  name: z.string(),
  mimeType: z.string(),
  size: z.number(),
})
export type Resource = z.infer<typeof Resource>

/** The answer to a list. */
export const ListAnswer = z.object({ result: z.object({ resources: z.array(Resource) }) })

/** The one content of a read. */
export const Content = z.object({
  uri: z.string(),
  mimeType: z.string(),
  text: z.optional(z.string()),
  blob: z.optional(z.string()),
})
export type Content = z.infer<typeof Content>

/** The answer to a read. */
export const ReadAnswer = z.object({ result: z.object({ contents: z.tuple([Content]) }) })

/** An answer that is an error. */
export const ErrorAnswer = z.object({
  error: z.object({ code: z.number(), message: z.string(), data: z.optional(z.unknown()) }),
})

/** A file as its host knows it. */
export const Details = z.object({
  uri: z.string(),
  name: z.string(),
  owner: z.string(),
  visibility: z.string(),
  readers: z.array(z.string()),
  tags: z.array(z.string()),
  createdAt: z.string(),
})
export type Details = z.infer<typeof Details>

/** How full a token bucket is. */
export const Level = z.object({ tokens: z.number(), perSecond: z.number(), burst: z.number() })
export type Level = z.infer<typeof Level>
