import type { Pagination } from '@fulfillment/sdk'

/** The rows of all pages of a list. A page is read when the rows of the one before do not suffice. */
export async function* rowsOf<Row>(
  read: (page: number) => Promise<{ rows: readonly Row[]; pagination: Pagination }>,
): AsyncGenerator<Row> {
  for (let page = 1; ; page++) {
    const { rows, pagination } = await read(page)
    yield* rows
    if (page >= pagination.total_pages) return
  }
}
