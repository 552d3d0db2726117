import { APIPromise, type WithResponse } from './api-promise.ts'
import type { Page } from './page.ts'
import { unexpectedResponse } from './unexpected-response.ts'

/** The query fields that differ in the request of the next page. */
export type NextPage = { page: number } | { cursor: undefined; after: string | number }

/** Fetches a page of the list: the first one if called without changes. */
export type FetchPage<P> = (changed: NextPage | undefined) => Promise<WithResponse<P>>

// An item moves by as many positions as rows are inserted between two pages. Only this many ids are remembered, so that iterating over
// millions of items takes a bounded amount of memory.
const REMEMBERED_IDS = 100_000

/**
 * A list call: `await` it for one page, or iterate over it for the items of all pages. No request is sent before that.
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
  constructor(itemsKey: string, fetchPage: FetchPage<P>) {
    super(() => fetchPage(undefined))
    this.#itemsKey = itemsKey
    this.#fetchPage = fetchPage
  }

  /** The pages in order, each as the API returns it. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let current = await this.withResponse()
    let position: string | number | undefined
    for (;;) {
      yield current.data
      const next = this.#next(current.data)
      if (!next) return
      const last = position
      position = 'page' in next ? next.page : next.after
      if (position === last && this.#items(current.data).length === 0) return
      // A server or cache that ignores the position returns the same page forever.
      if (position === last)
        throw unexpectedResponse(current.response, 'The list does not advance: the same page was returned twice')
      current = await this.#fetchPage(next)
    }
  }

  /** All items from this page on. An item that a newly inserted row moves to the next page is returned once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const seen = new Set<unknown>()
    for await (const page of this.pages()) {
      for (const item of this.#items(page)) {
        const { id } = item as { id: unknown }
        if (seen.has(id)) continue
        seen.add(id)
        yield item
        if (seen.size > REMEMBERED_IDS) seen.delete(seen.values().next().value)
      }
    }
  }

  #items(page: P): Item[] {
    return (page as Record<string, Item[]>)[this.#itemsKey]!
  }

  #next(page: P): NextPage | undefined {
    const { pagination, next_cursor: cursor } = page as Page
    if (pagination) {
      const isLast = pagination.page >= pagination.total_pages || this.#items(page).length === 0
      return isLast ? undefined : { page: pagination.page + 1 }
    }
    // A page without items can have one: a long search of the feed goes on with the next call.
    // Sent as `after`, which every version of the server knows: one that ignores `cursor` would return the first page forever.
    return cursor == null ? undefined : { cursor: undefined, after: cursor }
  }
}
