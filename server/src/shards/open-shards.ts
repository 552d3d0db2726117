import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'
import { readMovedTenants, readShardMap, requireRange, type ShardRow, urlOf } from './shard-map.ts'
import { DIRECTORY, Shards } from './shards.ts'

/** A shard as commands see it. */
export interface OpenedShard {
  id: number
  state: ShardRow['state']
  firstTenantId: number
  createdAt: string | undefined
  /** Undefined for the directory, whose address is a setting. */
  url: string | undefined
  /** Undefined when it cannot be reached. */
  db: Database | undefined
}

/** The shards, open for one command. */
export interface OpenShards extends Pick<Shards, 'directory' | 'of' | 'isIn'> {
  readonly encryption: Encryption
  readonly opened: readonly OpenedShard[]
  /** The migrations that were run. */
  readonly migrated: readonly string[]
  close(): Promise<void>
}

const FEW = { exclusiveConnections: 2, pipelinedConnections: 1 }

/** Opens all shards and brings their schemas up to date. `warn` tells which could not be reached. */
export async function openShards(directory: Database, encryption: Encryption, warn: (line: string) => void): Promise<OpenShards> {
  const rows = await readShardMap(directory)
  const shards = new Shards(directory)
  const migrated: string[] = []
  const others = await Promise.all(rows.filter(({ id }) => id !== DIRECTORY).map((row) => openOne(row)))
  shards.place(rows.length === 0 ? [] : await readMovedTenants(directory))
  const own = rows.find(({ id }) => id === DIRECTORY)
  const first: OpenedShard = {
    id: DIRECTORY,
    state: own?.state ?? 'active',
    firstTenantId: 1,
    createdAt: undefined,
    url: undefined,
    db: directory,
  }
  return {
    directory,
    encryption,
    migrated,
    opened: [first, ...others],
    of: (tenantId) => shards.of(tenantId),
    isIn: (tenantId, db) => shards.isIn(tenantId, db),
    close: async () => {
      await Promise.all(others.flatMap(({ db }) => (db === undefined ? [] : [db.close()])))
    },
  }

  async function openOne(row: ShardRow): Promise<OpenedShard> {
    const { id, state, first_tenant_id: firstTenantId, created_at: createdAt } = row
    const url = urlOf(row, encryption)
    const db = await reached(row, url)
    shards.put({ id, firstTenantId, db })
    return { id, state, firstTenantId, createdAt, url, db }
  }

  async function reached(row: ShardRow, url: string): Promise<Database | undefined> {
    const db = openDatabase(url, FEW)
    try {
      await requireRange(db, row)
      const names = await db.withoutTimeLimits(migrate)
      migrated.push(...names.map((name) => `${name} (shard ${row.id})`))
      return db
    } catch (error) {
      await db.close()
      warn(`Shard ${row.id} is left out: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
}
