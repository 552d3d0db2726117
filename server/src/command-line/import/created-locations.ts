import { patiently } from '../api-client.ts'
import { APIError, type FulfillmentClient } from '../sdk.ts'
import type { Item } from './import-target.ts'

const PAGE = 100
/** Reading more would take longer than most imports: a hundred requests. */
const MAX_LOCATIONS = 10_000

/** Finds out which locations an import of stock creates: those of its rows that were not there before. */
export class CreatedLocations {
  #isRead = false
  /** Undefined when they cannot be known. */
  #before: ReadonlySet<unknown> | undefined
  readonly #created = new Set<string>()

  /** Call before the first rows are sent. */
  async readBefore(client: FulfillmentClient, signal: AbortSignal): Promise<void> {
    if (this.#isRead) return
    this.#before = await locationsOf(client, signal)
    this.#isRead = true
  }

  /** Call with the rows that were applied. */
  add(items: readonly Item[]): void {
    for (const { location_id: id } of items) if (this.#before?.has(id) === false) this.#created.add(String(id))
  }

  /** In the order of the file. Null when the key may not read locations, or there are too many. */
  get ids(): string[] | null {
    return this.#isRead && this.#before === undefined ? null : [...this.#created]
  }
}

async function locationsOf(client: FulfillmentClient, signal: AbortSignal): Promise<Set<string> | undefined> {
  const ids = new Set<string>()
  for (let page = 1; ; page++) {
    const read = await patiently(() => client.locations.list({ page, limit: PAGE }, { signal }), signal).catch(ifAllowed)
    if (read === undefined || read.pagination.total > MAX_LOCATIONS) return undefined
    for (const { id } of read.locations) ids.add(id)
    if (page >= read.pagination.total_pages) return ids
  }
}

/** A key that may write stock need not be one that may read it. */
function ifAllowed(error: unknown): undefined {
  const { cause } = error as Error
  if (!(cause instanceof APIError && cause.code === 'insufficient_scope')) throw error
}
