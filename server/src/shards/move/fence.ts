import { awaitTenantLock } from '../../database/locks.ts'
import { DIRECTORY } from '../shards.ts'
import { briefly, fenced, type Move, type Side } from './side.ts'
import type { TenantTable } from './tables.ts'

/**
 * Tables whose writes are ignored while the fence is closed: tasks write them for many tenants at once, and no call writes them without a row of another
 * table, which is refused.
 */
const IGNORED = new Set(
  `audit_log order_calls usage_hours delivery_hours event_outbox outbox_set_aside webhook_lanes deleted_subscriptions
   order_count_changes movement_count_changes flow_count_changes product_count_changes stocked_count_changes pick_changes`.split(
    /\s+/,
  ),
)
/** Tables of which only the deletion of rows is ignored: tasks delete old rows of all tenants, and no call does. */
const IGNORED_WHEN_DELETED = new Set(
  'waiting_deliveries events order_events idempotency_keys sessions sign_in_codes devices device_operators'.split(' '),
)

/** A command that closes the fence waits for writers in progress this long, and then lets all go on. */
const CLOSE_LOCK_MS = 700
const CLOSE_STATEMENT_MS = 1_500

/** The tenant cannot be switched at the moment. */
export class CannotSwitchNowError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'CannotSwitchNowError'
  }
}

/** Numbers the fence of a database with the epoch of this command, and makes it if there is none. From then on, earlier commands can change nothing there. */
export async function takeFence({ tenantId, ids, epoch }: Move, { client }: Side, isClosedAtFirst: boolean): Promise<void> {
  await client.query(
    `insert into tenant_fences as f (id, sandbox_id, is_closed, epoch) values ($1, $2, $3, $4)
     on conflict (id) do update set epoch = excluded.epoch where f.epoch < excluded.epoch`,
    [tenantId, ids[1], isClosedAtFirst, epoch],
  )
}

/** Whether the fence is closed; undefined when there is none. */
export async function isFenceClosed({ tenantId }: Move, { client }: Side): Promise<boolean | undefined> {
  const { rows } = await client.query<{ is_closed: boolean }>('select is_closed from tenant_fences where id = $1', [tenantId])
  return rows[0]?.is_closed
}

/** Makes the triggers that refuse writes while the fence is closed. */
export async function raiseFence(move: Move, side: Side, tables: readonly TenantTable[]): Promise<void> {
  const present = await fencedTables(move, side)
  for (const { name } of tables) {
    if (present.has(name)) continue
    const trigger = (kind: string, event: string, row: string, isIgnored: boolean): string =>
      `create trigger ${triggerOf(move, kind)} before ${event} on ${name} for each row when (${row}.tenant_id in (${move.ids.join(', ')}))
       execute function fence_tenant(${move.tenantId}, ${isIgnored ? 'ignore' : 'refuse'})`
    const isIgnored = IGNORED.has(name)
    await briefly(
      side.client,
      `${trigger('write', 'insert or update', 'new', isIgnored)};
       ${trigger('delete', 'delete', 'old', isIgnored || IGNORED_WHEN_DELETED.has(name))}`,
    )
  }
}

/** Drops the triggers. */
export async function removeTriggers(move: Move, side: Side): Promise<void> {
  for (const name of await fencedTables(move, side)) {
    const drops = ['write', 'delete'].map((kind) => `drop trigger if exists ${triggerOf(move, kind)} on ${name}`)
    await briefly(side.client, drops.join('; '))
  }
}

/** The tables with triggers of the move. */
export async function fencedTables(move: Move, { client }: Side): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgname = $1 and t.tgparentid = 0 and c.relnamespace = 'public'::regnamespace`,
    [triggerOf(move, 'write')],
  )
  return new Set(rows.map(({ name }) => name))
}

/** Of this move: an earlier command must not drop those of a later one. */
const triggerOf = ({ name }: Move, kind: string): string => `${name}_${kind}`

/**
 * Refuses the tenant's writes in the source from now on, and its keys, so that nobody reads there either. All writes before are before `mark` in the log.
 * Throws `CannotSwitchNowError` and lock timeouts, and then nothing has changed.
 */
export async function closeSource(move: Move, mark: number): Promise<void> {
  const { client } = move.source
  const close = async (): Promise<void> => {
    await client.query(`select ${awaitTenantLock('fence')}`, [move.tenantId])
    await client.query('update tenant_fences set is_closed = true where id = $1', [move.tenantId])
    const switching = await client.query(
      `select from tenant_settings where tenant_id = any ($1::bigint[]) and reservation_phase <> 'ready'`,
      [move.ids],
    )
    if (switching.rowCount !== 0) throw new CannotSwitchNowError('its reservation policy is being changed')
    await client.query(
      `update api_keys set revoked_at = 'infinity' where tenant_id = any ($1::bigint[]) and revoked_at is null`,
      [move.ids],
    )
    await writeMark(move, mark)
  }
  await fenced(move, move.source, close, { lockMs: CLOSE_LOCK_MS, statementMs: CLOSE_STATEMENT_MS })
}

/** Lets the tenant write in the source again. */
export async function reopenSource(move: Move): Promise<void> {
  await fenced(move, move.source, async () => {
    await move.source.client.query('update tenant_fences set is_closed = false where id = $1', [move.tenantId])
    await reviveKeys(move, move.source)
  })
}

/** Lets the tenant write in the target. This ends its time in the source: from now on, the move can only go forward. */
export async function openTarget(move: Move): Promise<void> {
  const { target, ids, tenantId } = move
  const { client } = target
  await fenced(move, target, async () => {
    await client.query('update tenant_fences set is_closed = false where id = $1', [tenantId])
    await reviveKeys(move, target)
    // What was in flight in the source is sent again: its result is not known.
    await client.query(
      `update waiting_deliveries set state = 'pending', lease_until = null where tenant_id = any ($1::bigint[]) and state = 'in_flight'`,
      [ids],
    )
    await client.query(
      `update webhook_lanes set owner = null, owner_until = null, due_at = greatest(held_until, now()) where tenant_id = any ($1::bigint[])`,
      [ids],
    )
    if (target.id === DIRECTORY) await keepFromReplicas(move)
  })
}

async function reviveKeys({ ids }: Move, { client }: Side): Promise<void> {
  await client.query(`update api_keys set revoked_at = null where tenant_id = any ($1::bigint[]) and revoked_at = 'infinity'`, [
    ids,
  ])
}

/** A replica must have replayed the copy before the tenant reads from it: a row for all its keys, as of a change that each of them must see. */
async function keepFromReplicas({ ids, target }: Move): Promise<void> {
  await target.client.query(
    `insert into write_positions (tenant_id, key_id, server_id, position, number, expires_at)
     select id, 0, gen_random_uuid(), (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint, 0, clock_timestamp() + interval '60 seconds'
     from unnest($1::bigint[]) id`,
    [ids],
  )
}

/** Forgets the fence of a database at the end of the move. */
export async function removeFence({ tenantId, epoch }: Move, { client }: Side): Promise<void> {
  await client.query('delete from move_marks where tenant_id = $1', [tenantId])
  await client.query('delete from tenant_fences where id = $1 and epoch <= $2', [tenantId, epoch])
}

/** Writes a number that the target gets after everything before it. Part of `fenced`. */
export async function writeMark({ tenantId, source }: Move, mark: number): Promise<void> {
  await source.client.query(
    `insert into move_marks (tenant_id, mark) values ($1, $2) on conflict (tenant_id) do update set mark = excluded.mark`,
    [tenantId, mark],
  )
}
