import { APIPromise, type WithResponse } from './api-promise.ts'

interface Page {
  pagination?: { page: number; total_pages: number }
  next_cursor?: string | number | null
}

/** Asks for another page of the same list: the query fields to change for it. */
type FetchPage<P> = (changed: { page: number } | { cursor: undefined; after: string | number }) => PromiseLike<P>

/**
 * A list call: `await` it for one page, or iterate it for all items of all pages.
 *
 * @example
 * const { orders, pagination } = await client.orders.list({ state_id: 1 })
 *
 * for await (const order of client.orders.list({ state_id: 1 })) {
 *   console.log(order.order_tenant_id)
 * }
 */
export class PagePromise<P, Item> extends APIPromise<P> implements AsyncIterable<Item> {
  readonly #itemsKey: string
  readonly #fetchPage: FetchPage<P>

  /** @internal */
  constructor(answer: Promise<WithResponse<P>>, itemsKey: string, fetchPage: FetchPage<P>) {
    super(answer)
    this.#itemsKey = itemsKey
    this.#fetchPage = fetchPage
  }

  /** The pages one after another, each as the API gives it. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page: P = await this
    for (;;) {
      yield page
      const changed = this.#next(page)
      if (!changed) return
      page = await this.#fetchPage(changed)
    }
  }

  /** All items from this page on. An item that a newly inserted row pushes onto the next page is given once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const seen = new Set<unknown>()
    for await (const page of this.pages()) {
      for (const item of this.#items(page)) {
        const { id } = item as { id: unknown }
        if (seen.has(id)) continue
        seen.add(id)
        yield item
      }
    }
  }

  #items(page: P): Item[] {
    return (page as Record<string, Item[]>)[this.#itemsKey]!
  }

  #next(page: P): Parameters<FetchPage<P>>[0] | undefined {
    const { pagination, next_cursor: cursor } = page as Page
    if (this.#items(page).length === 0) return undefined
    if (pagination) return pagination.page < pagination.total_pages ? { page: pagination.page + 1 } : undefined
    // As `after`, which every server knows: one that passed over `cursor` would give the first page for ever.
    return cursor == null ? undefined : { cursor: undefined, after: cursor }
  }
}
