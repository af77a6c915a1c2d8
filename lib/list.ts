/**
 * List (contract 4): token → plan → queries → resources. A listing merges two partitions, mine and everyone's, each
 * already filtered by access and in listing order, page by page. The first pages are there before the first byte.
 */
import type { Caller } from './access.ts'
import type { Chunk } from './encode.ts'
import type { FileIndex, RowPage, RowQuery } from './files.ts'
import { type Audience, type Facet, listingKey } from './keys.ts'
import { merge } from './merge.ts'
import { parseListParams, type Wanted } from './params.ts'
import type { Throttle } from './throttle.ts'

/** What a list works with. */
export interface ListDeps {
  readonly files: FileIndex
  readonly throttle: Throttle
}

/** One list: for whom, of what, and until when. */
export interface ListRequest {
  readonly caller: Caller
  readonly params: unknown
  readonly signal: AbortSignal
}

/** Partitions that are probed for each audience, at most, when several could drive the listing. */
const maxProbes = 4

/** Rows that a probe looks at. */
const probeRows = 100

/** The JSON of a list's result, as chunks. Throws every error of contract 4 before there is a first one. */
export async function list(deps: ListDeps, request: ListRequest): Promise<AsyncGenerator<Chunk>> {
  await deps.throttle.take(request.caller)
  const wanted = parseListParams(request.params)
  if (wanted === undefined) return render([])
  const audiences: Audience[] = [{ userId: request.caller.userId }, 'shared']
  return render(await Promise.all(audiences.map((audience) => begin(deps.files, request, audience, wanted))))
}

/** A partition being read: its first page, and how to go on. */
interface Scan {
  readonly first: RowPage
  readonly more: (after: string) => Promise<RowPage>
}

/**
 * The partition of one audience that gives the answer soonest. Each candidate's probe is a first page of the answer;
 * the one that ends has it whole, otherwise the one that got furthest in time with as many rows is the sparsest.
 */
async function begin(
  files: FileIndex,
  request: ListRequest,
  audience: Audience,
  wanted: Wanted,
): Promise<Scan> {
  const { caller, signal } = request
  const candidates = facetsOf(wanted).map(
    (facet): RowQuery => ({
      pk: listingKey(caller.workspaceId, audience, facet),
      ...filterBeside(facet, wanted),
      userId: caller.userId,
    }),
  )
  const limit = candidates.length > 1 ? probeRows : undefined
  const probes = await Promise.all(candidates.map((query) => files.query({ ...query, limit }, signal)))
  const scans = candidates.map((query, i) => {
    const more = (after: string) => files.query({ ...query, after }, signal)
    return { first: probes[i] ?? { rows: [], next: undefined }, more }
  })
  return scans.reduce((best, scan) => (reach(scan) > reach(best) ? scan : best))
}

/** How far a first page got: past everything when the partition ended. */
function reach({ first }: Scan): string {
  return first.next ?? '\uffff'
}

/** The partitions that could drive a listing; what does not drive is filtered on the rows. */
function facetsOf({ essence, tags }: Wanted): Facet[] {
  const facets: Facet[] = tags.map((tag) => ({ tag }))
  if (essence !== undefined) facets.push({ essence })
  return facets.length > 0 ? facets.slice(0, maxProbes) : ['all']
}

/** What is left to filter on the rows of a facet's partition. */
function filterBeside(
  facet: Facet,
  { essence, types, tags }: Wanted,
): Pick<RowQuery, 'tags' | 'types' | 'essence'> {
  const driving = typeof facet === 'object' && 'tag' in facet ? facet.tag : undefined
  const rest = tags.filter((tag) => tag !== driving)
  if (types !== undefined) return { tags: rest, types }
  return driving === undefined || essence === undefined ? { tags: rest } : { tags: rest, essence }
}

async function* render(scans: readonly Scan[]): AsyncGenerator<Chunk> {
  let separator = ''
  yield '{"resources":['
  for await (const rows of merge(scans.map(pagesOf))) {
    if (rows.length === 0) continue
    yield Buffer.from(separator + rows.map(({ json }) => json).join(','))
    separator = ','
  }
  yield ']}'
}

type Row = RowPage['rows'][number]

/** The pages of a partition. The next page is under way while the present one is used; an empty page is no end. */
async function* pagesOf({ first, more }: Scan): AsyncGenerator<readonly Row[]> {
  let page = first
  for (;;) {
    const following = page.next === undefined ? undefined : more(page.next)
    following?.catch(() => {}) // thrown when it is awaited below, or of no interest any more
    yield page.rows
    if (following === undefined) return
    page = await following
  }
}
