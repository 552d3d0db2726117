import { APIPromise, type WithResponse } from './api-promise.ts'
import type { Page } from './page.ts'
import { unexpectedResponse } from './unexpected-response.ts'

/** The query fields to change for the next page of the same list. */
export type NextPage = { page: number } | { cursor: undefined; after: string | number }

/** Asks for a page of the list, the first without changes. */
export type FetchPage<P> = (changed: NextPage | undefined) => Promise<WithResponse<P>>

// An item moves on by as many places as rows were inserted between two pages; more than this many are not remembered, or a
// walk through millions would keep all of their ids.
const REMEMBERED_IDS = 100_000

/**
 * A list call: `await` it for one page, or iterate it for all items of all pages. Nothing is sent before you do either.
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

  /** The pages one after another, each as the API gives it. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let answer = await this.withResponse()
    let position: string | number | undefined
    for (;;) {
      yield answer.data
      const next = this.#next(answer.data)
      if (!next) return
      const last = position
      position = 'page' in next ? next.page : next.after
      // A server or cache that passes over the position gives the same page for ever.
      if (position === last) throw unexpectedResponse(answer.response, 'The list does not go on: a page was given twice')
      answer = await this.#fetchPage(next)
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
        if (seen.size > REMEMBERED_IDS) seen.delete(seen.values().next().value)
      }
    }
  }

  #items(page: P): Item[] {
    return (page as Record<string, Item[]>)[this.#itemsKey]!
  }

  #next(page: P): NextPage | undefined {
    const { pagination, next_cursor: cursor } = page as Page
    if (this.#items(page).length === 0) return undefined
    if (pagination) return pagination.page < pagination.total_pages ? { page: pagination.page + 1 } : undefined
    // As `after`, which every server knows: one that passed over `cursor` would give the first page for ever.
    return cursor == null ? undefined : { cursor: undefined, after: cursor }
  }
}
