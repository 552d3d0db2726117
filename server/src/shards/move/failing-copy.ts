import type { Move } from './side.ts'

/** Postgres tries again every 5 seconds. */
const TELL_EVERY_MS = 60_000

/** Levels of `log_min_messages` at which Postgres keeps errors out of its log. The embedded Postgres has the first. */
const WITHOUT_ERRORS = new Set(['log', 'fatal', 'panic'])

/** Tells of errors of the copy, and where Postgres says why: it keeps their texts to its log. */
export class FailingCopy {
  readonly #move: Move
  readonly #note: (line: string) => void
  /** Undefined until the first look: earlier errors may be over. */
  #told: number | undefined
  #toldAtMs = -Infinity

  constructor(move: Move, note: (line: string) => void) {
    this.#move = move
    this.#note = note
  }

  /** `errors` is their number so far. */
  async look(errors: number): Promise<void> {
    this.#told ??= errors
    if (errors === this.#told || performance.now() - this.#toldAtMs < TELL_EVERY_MS) return
    this.#note(await describe(this.#move))
    this.#told = errors
    this.#toldAtMs = performance.now()
  }
}

async function describe({ name, target }: Move): Promise<string> {
  const { rows } = await target.client.query<{ level: string; database: string; tables: string | null }>(
    `select current_setting('log_min_messages') as level, quote_ident(current_database()) as database, (
       select string_agg(r.srrelid::regclass::text, ', ' order by r.srrelid::regclass::text)
       from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid and r.srsubstate in ('d', 'f')
       where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database())) as tables`,
    [name],
  )
  const { level = '', database = '', tables = null } = rows[0] ?? {}
  const ofTables = tables === null ? '' : ` of ${tables}`
  const what = `Postgres of shard ${target.id} reports errors of the copy${ofTables}, and tries again.`
  if (!WITHOUT_ERRORS.has(level)) return `${what} Its log says why`
  return (
    `${what} Its log leaves errors out: to see them, run alter database ${database} set log_min_messages = error there, ` +
    `and alter database ${database} reset log_min_messages afterwards`
  )
}
