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
  /** Milliseconds. Missing in those of older versions. */
  beganAt?: number | undefined
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

/** An import and how far it has come. */
export interface FoundImport {
  kept: KeptImport
  progress: KeptProgress | undefined
}

const MAX_KEPT = 20

/**
 * Keeps the imports of this browser, one for each file, kind, tenant and mode; of a kind, the newest twenty. Where a browser keeps nothing, an
 * import cannot go on after a reload.
 */
export class KeptImports {
  /** Under this key alone, older versions kept one import of the kind. It is found like the others. */
  readonly #prefix: string
  #opened: Promise<IDBPDatabase<Schema> | undefined> | undefined

  constructor(tenantId: number, target: ImportTarget) {
    this.#prefix = `${tenantId} ${MODE} ${target.name}`
  }

  /** Those that have not ended, the newest first. */
  async list(): Promise<KeptImport[]> {
    const kept = (await (await this.#open())?.getAll('imports', this.#range())) ?? []
    return kept.toSorted((a, b) => (b.beganAt ?? 0) - (a.beganAt ?? 0))
  }

  async find(fingerprint: string): Promise<FoundImport | undefined> {
    const db = await this.#open()
    for (const key of this.#keysOf(fingerprint)) {
      const kept = await db?.get('imports', key)
      if (kept?.fingerprint === fingerprint) return { kept, progress: await db?.get('progress', key) }
    }
    return undefined
  }

  async begin(kept: KeptImport): Promise<void> {
    const others = (await this.list()).filter(({ fingerprint }) => fingerprint !== kept.fingerprint)
    for (const oldest of others.slice(MAX_KEPT - 1)) await this.end(oldest)
    await this.#change(async ({ imports, progress }) => {
      const [key] = this.#keysOf(kept.fingerprint)
      await Promise.all([imports.put(kept, key), progress.delete(key)])
    })
  }

  async advance(kept: KeptImport, progress: KeptProgress): Promise<void> {
    await this.#changeOne(kept, async (stores, key) => void (await stores.progress.put(progress, key)))
  }

  async end(kept: KeptImport): Promise<void> {
    await this.#changeOne(kept, async ({ imports, progress }, key) => {
      await Promise.all([imports.delete(key), progress.delete(key)])
    })
  }

  /** Changes what is kept of this import, unless another tab has begun one of the same file since. */
  async #changeOne({ id, fingerprint }: KeptImport, change: (stores: Stores, key: string) => Promise<void>): Promise<void> {
    await this.#change(async (stores) => {
      for (const key of this.#keysOf(fingerprint)) if ((await stores.imports.get(key))?.id === id) await change(stores, key)
    })
  }

  async #change(change: (stores: Stores) => Promise<void>): Promise<void> {
    const transaction = (await this.#open())?.transaction(['imports', 'progress'], 'readwrite')
    if (transaction === undefined) return
    await change({ imports: transaction.objectStore('imports'), progress: transaction.objectStore('progress') })
    await transaction.done
  }

  #keysOf(fingerprint: string): [own: string, ofOlderVersions: string] {
    return [`${this.#prefix} ${fingerprint}`, this.#prefix]
  }

  #range(): IDBKeyRange {
    return IDBKeyRange.bound(this.#prefix, `${this.#prefix} \uffff`)
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
