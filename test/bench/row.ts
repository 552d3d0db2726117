import type { BenchDatabase } from './seed/bench-database.ts'
import type { LoadGenerator } from './load/load-generator.ts'

/** A line of the table: what is measured, and what it should reach. */
export interface Row {
  name: string
  title: string
  must: number
  aim: number
  higherIsBetter: boolean
  /** What `median` counts. */
  unit: string
  /** Only measured when it is asked for by name. */
  onRequest?: boolean
  measure(bench: Bench): Promise<Measurement>
}

/** What a row works with. */
export interface Bench {
  database: BenchDatabase
  generator: LoadGenerator
  short: boolean
  profile: boolean
  /** Before that, for the compiler to find out what is hot. */
  warmUpSeconds: number
  /** How often each side has its turn, and for how long. */
  rounds: number
  seconds: number
}

export interface Measurement {
  /** Ours in proportion to what it is compared with: the median over all rounds. */
  ratio: number
  /** Ours, in the row's unit. */
  median: number
  /** Distance of the quartiles of the ratio over all rounds, in proportion to it. */
  spread: number
  /** Cores that something else kept busy meanwhile. */
  foreignCores: number
  /** For the reader: what else was seen. */
  notes: string[]
}
