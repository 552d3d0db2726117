import type { Queryable } from '../database/database.ts'
import type { DailyPartitions } from '../database/partitions/daily-partitions.ts'
import type { Rollup } from '../database/rollups/rollup.ts'
import type { Endpoint } from './endpoint.ts'
import type { ExportedList } from './exported-list.ts'
import { addTopics, type EventTopic, PUBLISHED_RECORDS, recordOf } from './event-topics.ts'
import type { ConstraintErrors } from './failure.ts'

/** A part of the domain, with its contributions to shared lists. */
export interface Slice {
  /** Sections of the document: the first segments of its paths. */
  tags: readonly { name: string; description: string }[]
  endpoints: readonly Endpoint[]
  topics?: readonly EventTopic[]
  /** The API errors for violated constraints of its tables, by the constraint's name. */
  constraints?: ConstraintErrors
  /** What adds changed counts to the rollups of its lists, every second. */
  rollups?: readonly Rollup[]
  /** Its tables with a partition per day. */
  partitions?: readonly DailyPartitions[]
  metrics?: SliceMetrics
  /** Its periodic work on the database. */
  tasks?: readonly SliceTask[]
  /** Its lists that pages export as files. */
  exports?: readonly ExportedList[]
}

/** Gauges read from the database, with the same values in every process. */
export interface SliceMetrics {
  /** Help texts by name, without the prefix of the service. */
  gauges: Readonly<Record<string, string>>
  /** Their values, by name. */
  measure: (db: Queryable) => Promise<Record<string, number>>
}

/** Periodic work on the database of a shard. Every process does it, so a run leaves alone what another process is working on. */
export interface SliceTask {
  /** Time from the end of a run to the next one. */
  everyMs: number
  /** Ends early when `stopping` is aborted. `onError` takes a failure that does not end the run. */
  run: (db: Queryable, stopping: AbortSignal, onError: (error: unknown) => void) => Promise<unknown>
}

/** Defines a slice. */
export function slice<const Definition extends Slice>(definition: Definition): Definition {
  return definition
}

/** Lists slices, and registers their topics for subscriptions and the feed. */
export function listSlices<const Slices extends readonly Slice[]>(...slices: Slices): Slices {
  addTopics(topicsOf(slices))
  return slices
}

/** The topics of slices, in the order of the document: those of the published specification, then additions. */
export function topicsOf(slices: readonly Slice[]): EventTopic[] {
  const rank = ({ name }: EventTopic): number => {
    const position = PUBLISHED_RECORDS.indexOf(recordOf(name))
    return position === -1 ? PUBLISHED_RECORDS.length : position
  }
  return slices.flatMap(({ topics = [] }) => topics).toSorted((a, b) => rank(a) - rank(b))
}
