import type { WeightPattern } from '@fulfillment/codes/weight-barcode.ts'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { PickingFlowDetails } from '@fulfillment/sdk'
import type { SentRow } from '../app/unanswered.ts'
import type { KnownLocation, RecordRow } from '../goods/record.ts'
import type { Doubt } from '../packing/doubt.ts'
import type { Draft } from '../picking/draft.ts'
import type { Entry } from '../queue/entry.ts'
import type { Settings } from './settings.ts'

/** An operator who signed in on this device. */
export interface Operator {
  id: number
  name: string
  email: string
  may_change_stock: boolean
}

/** The session of this device, as the server describes it. */
export interface DeviceSession {
  id: number
  tenant: { id: number; name: string }
  mode: 'live' | 'test'
  device_name: string
  operator: Operator | null
  expires_at: string
  server_time: string
  public_url: string | null
  version: string
}

/** A flow as the server described it last, with what the screens show of its products. */
export interface FlowRow {
  flow: PickingFlowDetails
  products: Record<number, { photo_url: string | null; weighable: boolean }>
}

/** An operator, with the hash of the badge, who may go on without a connection. */
export interface KnownOperator extends Operator {
  badge_hash: string
  used_at: number
}

/** A refused entry that the operator has dealt with, or an entry that went out of the queue without being sent. */
export interface LogRow {
  at: string
  what: 'put back' | 'cancelled' | 'dropped'
  entry: Entry
  /** Absent from what older builds have stored. */
  binding?: Binding
}

/** Tenant and mode: what belongs to another one is neither shown nor sent. */
export type Binding = string

interface Meta {
  session: DeviceSession | null
  settings: Settings
  /** Proof of enrolment by binding: the server knows the device again by it. */
  devices: Record<Binding, { id: number; secret: string }>
  /** The tenant's barcodes that contain a weight, as the server said last. */
  weights: Record<Binding, readonly WeightPattern[]>
  /** Changes of stock that have no answer, by screen and operator. */
  sent: Record<string, SentRow>
  /** Steps of packing that have no answer, by tenant, mode and order. */
  doubts: Record<string, Doubt>
  /** The page that may write. */
  owner: string
}

interface Schema extends DBSchema {
  meta: { key: keyof Meta; value: Meta[keyof Meta] }
  flows: { key: [Binding, number]; value: FlowRow }
  drafts: { key: [Binding, number]; value: Draft }
  queue: { key: [Binding, number]; value: Entry }
  operators: { key: [Binding, number]; value: KnownOperator }
  records: { key: [Binding, string]; value: RecordRow }
  /** Locations. Another name would be another table, in another version. */
  places: { key: Binding; value: readonly KnownLocation[] }
  log: { key: number; value: LogRow }
}

export type ScanDatabase = IDBPDatabase<Schema>
export type { Meta }
export const TABLES = ['meta', 'flows', 'drafts', 'queue', 'operators', 'log', 'records', 'places'] as const
/** Tables of a version, beside those of the versions before. */
const OF_VERSION = { 1: ['meta', 'flows', 'drafts', 'queue', 'operators'], 2: ['records', 'places'] } as const
const VERSION = 2

/** Opens the database of the device. Its version only grows; what an older build has queued stays readable. */
export function openScanDatabase(): Promise<ScanDatabase> {
  return openDB<Schema>('scan', VERSION, {
    upgrade(database, before) {
      if (before < 1) {
        for (const table of OF_VERSION[1]) database.createObjectStore(table)
        database.createObjectStore('log', { autoIncrement: true })
      }
      if (before < 2) for (const table of OF_VERSION[2]) database.createObjectStore(table)
    },
    // Another tab has a newer build.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  })
}

/** Whether the browser's storage failed with the error of this name. */
export const isNamed = (error: unknown, name: string): boolean => error instanceof DOMException && error.name === name

export const bindingOf = ({ tenant, mode }: Pick<DeviceSession, 'tenant' | 'mode'>): Binding => `${tenant.id} ${mode}`
