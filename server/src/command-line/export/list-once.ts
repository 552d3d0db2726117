/** A record of a list ordered by `created_at` and then `id`, newest first. */
export interface Listed {
  id: string | number
  created_at: string
}

/** A page of a list, and the number of records in the whole list. */
export interface ListPage<Row> {
  rows: Row[]
  total: number
}

const MAX_PAGE = 100
const MIN_PAGE = 50

/**
 * Reads a list by page number and yields each record once, even while the list changes. A new record moves the records behind it to later
 * positions. A record that leaves the list (a deleted product, an order whose state no longer matches the filter) moves them to earlier
 * positions. So consecutive pages overlap: when a page begins with a record read before, no record was skipped. Otherwise reading goes back
 * to an earlier page.
 */
export async function* listOnce<Row extends Listed>(
  fetchPage: (page: number, limit: number) => Promise<ListPage<Row>>,
): AsyncGenerator<ListPage<Row>> {
  const passed = new PassedRecords()
  for (let position = 0; ;) {
    const { page, limit } = pageFrom(position)
    const { rows, total } = await fetchPage(page, limit)
    const start = (page - 1) * limit
    const [first] = rows
    if (start > 0 && (first === undefined || !passed.has(first))) {
      position = Math.max(0, Math.min(start, total) - MAX_PAGE)
      continue
    }
    const fresh = rows.filter((row) => !passed.has(row))
    for (const row of fresh) passed.add(row)
    yield { rows: fresh, total }
    if (start + rows.length >= total) return
    position = start + rows.length - 1
  }
}

/** Chooses the page size so that the page includes `position` and ends as far behind it as possible. */
function pageFrom(position: number): { page: number; limit: number } {
  let best = { page: 1, limit: MAX_PAGE }
  for (let limit = MAX_PAGE; limit >= MIN_PAGE; limit--) {
    const page = Math.floor(position / limit) + 1
    if (page * limit > best.page * best.limit) best = { page, limit }
  }
  return best
}

/**
 * The records read so far. A record newer than the last one read was read before it. Only among records of the last one's millisecond are
 * ids needed, so only those ids are stored.
 */
class PassedRecords {
  #createdAt = '9999'
  #ids = new Set<string | number>()

  has({ id, created_at }: Listed): boolean {
    return created_at === this.#createdAt ? this.#ids.has(id) : created_at > this.#createdAt
  }

  add({ id, created_at }: Listed): void {
    if (created_at !== this.#createdAt) this.#ids.clear()
    this.#createdAt = created_at
    this.#ids.add(id)
  }
}
