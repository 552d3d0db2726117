import type { Flood } from './flood.ts'

/** What an attack is told of the world. */
export interface Battlefield {
  /** The attacker: one tenant with an admin key. */
  tenantId: number
  key: string
  /** Products of the attacker, by id; their barcodes are those of the seed, numbered from 1. */
  products: readonly [first: number, last: number]
  /** Receivers of the attacker: one answers at once, one accepts connections and never answers. */
  answering: string
  silent: string
  /** What an attacker can find out or guess: ids of tenants and orders count up. */
  neighbour: { tenantId: number; orders: readonly number[] }
  /** A check that everything runs: small counts. */
  short: boolean
}

/** What one tenant does to all others. */
export interface Attack {
  name: string
  title: string
  /** Settings of the measured server besides the shipped defaults. */
  env?: Record<string, string>
  /** The measured server's DNS server never answers, and its database has a host name. */
  silentResolver?: boolean
  /** The neighbour's receiver, on this machine, is not allowed under these settings. */
  withoutWebhooks?: boolean
  /** What takes the attacker minutes or hours at the limit, done before, on a server without one. Its result is handed to `run`. */
  prepare?(flood: Flood, field: Battlefield): Promise<unknown>
  /** Attacks until the flood ends. */
  run(flood: Flood, field: Battlefield, prepared: unknown): Promise<void>
}
