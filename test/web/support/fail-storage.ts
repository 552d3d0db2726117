import type { Page } from 'playwright-core'

/** The browser's storage fails in the middle of the next such change of a table: the browser ends the transaction, and closes the connection. */
export const failStorage = (page: Page, method: 'put' | 'delete', table: string): Promise<void> =>
  page.evaluate(
    ([method, table]) => {
      const { prototype } = IDBObjectStore
      const change = prototype[method] as (...given: unknown[]) => IDBRequest
      const fail = function (this: IDBObjectStore, ...given: unknown[]): IDBRequest {
        const request = change.apply(this, given)
        if (this.name !== table) return request
        Object.assign(prototype, { [method]: change })
        // When all of the change is requested.
        queueMicrotask(() => {
          this.transaction.abort()
          this.transaction.db.close()
        })
        return request
      }
      Object.assign(prototype, { [method]: fail })
    },
    [method, table] as const,
  )
