/**
 * Merges ordered pages of rows into one order without doubles: a file that is in several partitions of a listing has
 * the same sort key in each.
 */

/** What is merged: anything with the sort key of a listing (ASCII, so code units compare as DynamoDB's bytes do). */
export interface Sorted {
  readonly sk: string
}

interface Cursor<T> {
  readonly pages: AsyncIterator<readonly T[]>
  rows: readonly T[]
  at: number
  ended: boolean
}

/** The rows of all sources in order of their sort keys, each key once, in batches as the pages come in. */
export async function* merge<T extends Sorted>(sources: AsyncIterator<readonly T[]>[]): AsyncGenerator<T[]> {
  const cursors = sources.map((pages): Cursor<T> => ({ pages, rows: [], at: 0, ended: false }))
  let last = ''
  for (;;) {
    await Promise.all(cursors.map(refill))
    const live = cursors.filter((cursor) => !cursor.ended)
    if (live.length === 0) return
    const batch = take(live, last)
    last = batch.at(-1)?.sk ?? last
    yield batch
  }
}

/** Waits for the next page that has rows, if the present one is used up. */
async function refill<T>(cursor: Cursor<T>): Promise<void> {
  while (!cursor.ended && cursor.at === cursor.rows.length) {
    const { done, value } = await cursor.pages.next()
    if (done) cursor.ended = true
    else Object.assign(cursor, { rows: value, at: 0 })
  }
}

/** The rows that can be put in order before a page is used up. */
function take<T extends Sorted>(cursors: Cursor<T>[], last: string): T[] {
  const batch: T[] = []
  let previous = last
  for (;;) {
    let least: Cursor<T> | undefined
    let row: T | undefined
    for (const cursor of cursors) {
      const head = cursor.rows[cursor.at]
      if (head === undefined) return batch
      if (row === undefined || head.sk < row.sk) [least, row] = [cursor, head]
    }
    if (least === undefined || row === undefined) return batch
    least.at += 1
    if (row.sk !== previous) batch.push(row)
    previous = row.sk
  }
}
