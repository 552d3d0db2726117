import type { BenchDatabase } from './seed/bench-database.ts'
import type { LoadGenerator } from './load/load-generator.ts'

/** A row of the table: a measurement and its goals. */
export interface Row {
  name: string
  title: string
  must: number
  aim: number
  higherIsBetter: boolean
  /** The unit of `median`. */
  unit: string
  /** Only measured when its name is given. */
  onRequest?: boolean
  /** Whether the service can take turns with an earlier version of itself: see `Bench.before`. */
  comparesVersions?: boolean
  measure(bench: Bench): Promise<Measurement>
}

/** The resources of a row. */
export interface Bench {
  database: BenchDatabase
  generator: LoadGenerator
  short: boolean
  profile: boolean
  /** The folder of an earlier version of the service, installed. It takes turns with the present one, instead of the bare server. */
  before: string | undefined
  /** Warm-up before the measurement, so that the compiler optimises hot code. */
  warmUpSeconds: number
  /** Number of rounds, and seconds per round for each side. */
  rounds: number
  seconds: number
}

export interface Measurement {
  /** The service relative to its counterpart: the median over all rounds. */
  ratio: number
  /** The median of the service, in the row's unit. */
  median: number
  /** Interquartile range of the ratio over all rounds, relative to the ratio. */
  spread: number
  /** Cores used by other processes during the measurement. */
  foreignCores: number
  /** Further observations for the reader. */
  notes: string[]
}
