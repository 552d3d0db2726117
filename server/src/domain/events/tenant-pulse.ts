import type { Queryable } from '../../database/database.ts'
import { topicNames } from '../../procedures/event-topics.ts'
import { EVENTS_PER_PULSE, findLastEvents, findRecentEvent, readPulse, type RecordPulse } from './pulse-statements.ts'
import { judged, type Tick } from './ticks.ts'

/** A token for each kind of record, which is another one after an event of that kind, and the position of the log that has these events. */
export interface Pulse {
  tokens: Record<PulseKind, string>
  position: number
}

/** The kinds, and the records whose events are of the kind. */
const RECORDS = {
  orders: ['order', 'reservation', 'shipment'],
  products: ['product'],
  stock: ['stock', 'inbound', 'return', 'count'],
  flows: ['flow'],
}
type PulseKind = keyof typeof RECORDS

/** Events before the first pulse whose transactions may still be in progress. */
const EARLIER_EVENTS = 1_000

/** The event with a number has this id. */
const idOf = (number: number): string => `evt_1${number.toString(16).padStart(23, '0')}`

/**
 * The pulse of a tenant, of one statement each time. A token is the id of the last event that is committed, so it is the same in every process.
 *
 * Transactions do not commit in the order of their event numbers, so an event can appear before the last one. The pulse therefore counts the
 * events after an id up to which all are final: a number that was taken before transactions that have all ended, as in `FeedHorizon`, but
 * sampled only as often as the pulse is read. An event that appears late changes the token too.
 */
export class TenantPulse {
  readonly #db: Pick<Queryable, 'run' | 'runOne'>
  readonly #tenantId: number
  readonly #records = new Map<string, { last: string; late: number; count: number }>()
  /** All events up to here were counted. */
  #counted: string | undefined
  #final = 0
  #ticks: Tick[] = []
  #latest: number | undefined
  #server: string | undefined

  constructor(db: Pick<Queryable, 'run' | 'runOne'>, tenantId: number) {
    this.#db = db
    this.#tenantId = tenantId
  }

  /** Reads the pulse. A second call must wait for the first one. */
  async read(): Promise<Pulse> {
    const first = this.#counted ?? (await this.#begin())
    const isFirst = this.#counted === undefined
    const second = this.#final === 0 ? first : idOf(this.#final)
    const row = await this.#db.runOne(readPulse, [this.#tenantId, first, second])
    if (row === undefined) throw new Error('No pulse was read')
    const isCut = row.looked_at === EVENTS_PER_PULSE
    for (const record of row.records ?? []) this.#note(record, { isFirst, isCut })
    for (const [record, known] of this.#records) if (!row.records?.some((one) => one.record === record)) known.count = 0
    this.#counted = second
    this.#tick(row)
    return { tokens: this.#tokens(row.assignments), position: row.position }
  }

  /** The last events, and the id after which events are counted at first. */
  async #begin(): Promise<string> {
    const lasts = await this.#db.run(findLastEvents, [this.#tenantId, topicNames()])
    for (const { record, id } of lasts) {
      const { last } = this.#known(record)
      this.#records.set(record, { last: id > last ? id : last, late: 0, count: 0 })
    }
    return (await this.#db.runOne(findRecentEvent, [this.#tenantId, EARLIER_EVENTS]))?.id ?? ''
  }

  #note(
    { record, last, after_first, after_second }: RecordPulse,
    { isFirst, isCut }: { isFirst: boolean; isCut: boolean },
  ): void {
    const known = this.#known(record)
    const isLater = last > known.last
    // Of more events than are read nobody knows which are new.
    const isLate = !isFirst && (isCut || (!isLater && after_first > known.count))
    this.#records.set(record, {
      last: isLater ? last : known.last,
      late: isLate ? known.late + 1 : isLater ? 0 : known.late,
      count: after_second,
    })
  }

  #known(record: string): { last: string; late: number; count: number } {
    return this.#records.get(record) ?? { last: '', late: 0, count: 0 }
  }

  /** The number of the pulse before was taken before the next transaction of this one: once all earlier ones have ended, it is final. */
  #tick({ server, latest, next, oldest }: { server: string; latest: number; next: number; oldest: number }): void {
    if (server === this.#server && this.#latest !== undefined) this.#ticks.push({ latest: this.#latest, next })
    else this.#ticks = []
    this.#server = server
    this.#latest = latest
    const { final, open } = judged(this.#ticks, oldest)
    if (final !== undefined) this.#final = Math.max(this.#final, final)
    this.#ticks = open
  }

  #tokens(assignments: number): Pulse['tokens'] {
    const tokenOf = (kind: PulseKind): string =>
      RECORDS[kind].map((record) => `${this.#known(record).last}+${this.#known(record).late}`).join(' ')
    return {
      orders: tokenOf('orders'),
      products: tokenOf('products'),
      stock: tokenOf('stock'),
      flows: `${tokenOf('flows')} ${assignments}`,
    }
  }
}
