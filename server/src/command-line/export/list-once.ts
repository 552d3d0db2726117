/** A record of a list that is ordered by `created_at` and then `id`, newest first. */
export interface Listed {
  id: string | number
  created_at: string
}

/** Some records of a list, and how many there are in all of it. */
export interface ListPage<Row> {
  rows: Row[]
  total: number
}

const MAX_PAGE = 100
const MIN_PAGE = 50

/**
 * All records of a list that is read by page number, each of them once, whatever happens to the list meanwhile. New records push those
 * behind them to later places, and records that leave the list (a deleted product, an order that is no longer in the state asked for) pull
 * them forward. So each page begins with a record that is known already, which proves that none was passed over; without one, reading
 * goes back to where there is.
 */
export async function* listOnce<Row extends Listed>(
  fetchPage: (page: number, limit: number) => Promise<ListPage<Row>>,
): AsyncGenerator<ListPage<Row>> {
  const passed = new PassedRecords()
  for (let place = 0; ;) {
    const { page, limit } = pageFrom(place)
    const { rows, total } = await fetchPage(page, limit)
    const start = (page - 1) * limit
    const [first] = rows
    if (start > 0 && (first === undefined || !passed.has(first))) {
      place = Math.max(0, Math.min(start, total) - MAX_PAGE)
      continue
    }
    const fresh = rows.filter((row) => !passed.has(row))
    for (const row of fresh) passed.add(row)
    yield { rows: fresh, total }
    if (start + rows.length >= total) return
    place = start + rows.length - 1
  }
}

/** Of the pages that begin at `place` or before it, the one that reaches furthest. */
function pageFrom(place: number): { page: number; limit: number } {
  let best = { page: 1, limit: MAX_PAGE }
  for (let limit = MAX_PAGE; limit >= MIN_PAGE; limit--) {
    const page = Math.floor(place / limit) + 1
    if (page * limit > best.page * best.limit) best = { page, limit }
  }
  return best
}

/**
 * Which records of the list are done: those before the last one, which `created_at` tells but for records of the same millisecond. Of
 * these the ids are kept, and of no others.
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
