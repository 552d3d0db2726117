import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, openDB } from 'idb'
import { MODE } from '../data/client.ts'
import type { ImportTarget } from './import-target.ts'
import type { Mapping } from './mapping.ts'
import type { RowError } from './row-error.ts'

/** An import that has begun and not ended. With it, choosing the same file goes on where it was. */
export interface KeptImport {
  /** Part of the `Idempotency-Key` of each batch. */
  id: string
  fileName: string
  fingerprint: string
  mapping: Mapping
  /** What the check found. These rows are not sent, and all others are cut into the same batches again. */
  bad: readonly RowError[]
}

/** How far an import has come. It is written after each batch, so it is apart from what may be large. */
export interface KeptProgress {
  /** Batches that are done. */
  batches: number
  rows: number
  created: number
  changed: number
  /** Rows that the server refused although the check did not. */
  refused: readonly RowError[]
}

interface Schema extends DBSchema {
  imports: { key: string; value: KeptImport }
  progress: { key: string; value: KeptProgress }
}

type Names = ('imports' | 'progress')[]
type Stores = { [Name in Names[number]]: IDBPObjectStore<Schema, Names, Name, 'readwrite'> }

/** Keeps the imports of this browser, one of a kind for each tenant and mode. Where a browser keeps nothing, an import cannot go on after a reload. */
export class KeptImports {
  readonly #key: string
  #opened: Promise<IDBPDatabase<Schema> | undefined> | undefined

  constructor(tenantId: number, target: ImportTarget) {
    this.#key = `${tenantId} ${MODE} ${target.name}`
  }

  async find(): Promise<{ kept: KeptImport; progress: KeptProgress | undefined } | undefined> {
    const db = await this.#open()
    const kept = await db?.get('imports', this.#key)
    return kept && { kept, progress: await db?.get('progress', this.#key) }
  }

  async begin(kept: KeptImport): Promise<void> {
    const transaction = (await this.#open())?.transaction(['imports', 'progress'], 'readwrite')
    await Promise.all([
      transaction?.objectStore('imports').put(kept, this.#key),
      transaction?.objectStore('progress').delete(this.#key),
      transaction?.done,
    ])
  }

  async advance(id: string, progress: KeptProgress): Promise<void> {
    await this.#change(id, async ({ progress: store }) => void (await store.put(progress, this.#key)))
  }

  async end(id: string): Promise<void> {
    await this.#change(id, async ({ imports, progress }) => {
      await Promise.all([imports.delete(this.#key), progress.delete(this.#key)])
    })
  }

  /** Changes what is kept of this import, unless another tab has begun one of the kind since. */
  async #change(id: string, change: (stores: Stores) => Promise<void>): Promise<void> {
    const transaction = (await this.#open())?.transaction(['imports', 'progress'], 'readwrite')
    if (transaction === undefined) return
    const stores = { imports: transaction.objectStore('imports'), progress: transaction.objectStore('progress') }
    if ((await stores.imports.get(this.#key))?.id === id) await change(stores)
    await transaction.done
  }

  #open(): Promise<IDBPDatabase<Schema> | undefined> {
    return (this.#opened ??= openDB<Schema>('imports', 1, {
      upgrade(db) {
        db.createObjectStore('imports')
        db.createObjectStore('progress')
      },
    }).catch(() => undefined))
  }
}
