import type { Flood } from './flood.ts'

/** The data available to an attack. */
export interface Battlefield {
  /** The attacker: one tenant with an admin key. */
  tenantId: number
  key: string
  /** Products of the attacker, by id; their barcodes are those of the seed, numbered from 1. */
  products: readonly [first: number, last: number]
  /** Receivers of the attacker: one responds immediately, one accepts connections and never responds. */
  responding: string
  silent: string
  /** Facts that an attacker can guess: tenants and orders are numbered consecutively. */
  neighbour: { tenantId: number; orders: readonly number[] }
  /** A smoke test with small counts. */
  short: boolean
}

/** An attack of one tenant on all others. */
export interface Attack {
  name: string
  title: string
  /** Settings of the measured server besides the shipped defaults. */
  env?: Record<string, string>
  /** The measured server's DNS server never responds, and its database has a host name. */
  silentResolver?: boolean
  /** These settings do not allow the neighbour's receiver, which is on this machine. */
  withoutWebhooks?: boolean
  /** Preparation that would take minutes or hours under the rate limit. It runs on a server without limit; its result is passed to `run`. */
  prepare?(flood: Flood, field: Battlefield): Promise<unknown>
  /** Attacks until the flood ends. */
  run(flood: Flood, field: Battlefield, prepared: unknown): Promise<void>
}
