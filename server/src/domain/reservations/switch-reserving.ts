import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { clearReservations } from './clear-reservations.ts'
import { collectOrders } from './collect-orders.ts'
import { settleAll } from './settle-all.ts'
import type { Pause, Switching } from './switching.ts'
import { untilWritersEnd } from './until-writers-end.ts'

type Phase = 'clearing' | 'collecting' | 'settling'

interface Claimed {
  tenant_id: number
  phase: Phase
  policy: string
  switches: number
  lease: string
}

/**
 * SQL for whether the settings `t` wait for a process. Those behind a closed fence do not: the copy of a tenant that is being moved here may be
 * of the middle of a switch, and nobody can claim it.
 */
const IS_WAITING = `t.reservation_phase <> 'ready' and t.switching_until < clock_timestamp()
     and not exists (select from tenant_fences f where f.is_closed and t.tenant_id in (f.id, f.sandbox_id))`

/** A look on a shared connection: nearly always there is nothing to do, and each process looks twice a second. */
const findWaiting = statement<[], { is_any: boolean }>({
  name: 'find_switching',
  connection: 'read',
  sql: `select exists (select from tenant_settings t where ${IS_WAITING}) as is_any`,
})

const claim = statement<[], Claimed>({
  name: 'claim_switching',
  connection: 'write',
  sql: `update tenant_settings set switching_until = clock_timestamp() + interval '10 seconds'
   where tenant_id = (
     select t.tenant_id from tenant_settings t where ${IS_WAITING}
     order by t.updated_at, t.tenant_id limit 1 for no key update of t skip locked
   )
   returning tenant_id, reservation_phase as phase, reservation_policy as policy, reservation_switches as switches,
     switching_until::text as lease`,
})

const keep = statement<[tenantId: number, switches: number, lease: string], { lease: string }>({
  name: 'keep_switching',
  connection: 'write',
  sql: `update tenant_settings set switching_until = clock_timestamp() + interval '10 seconds'
   where tenant_id = $1 and reservation_switches = $2 and switching_until = $3::text::timestamptz returning switching_until::text as lease`,
})

const release = statement<[tenantId: number, switches: number, phase: string | null, lease: string], never>({
  name: 'release_switching',
  connection: 'write',
  sql: `update tenant_settings
   set switching_until = '-infinity', reservation_phase = case reservation_switches when $2 then coalesce($3, reservation_phase) else reservation_phase end
   where tenant_id = $1 and switching_until = $4::text::timestamptz`,
})

/** Pause after each piece of work, in times of what it took: half of the time is left to other work. */
const PAUSE = 1

/** Tenants that a process switches at the same time: one with many orders does not delay the others. */
const AT_ONCE = 4
/** While a process switches tenants, it looks for further ones this often. */
const LOOK_MS = 500

/**
 * Makes or removes the reservations of tenants whose reserving was turned on or off, the earliest first, until no tenant is left. Each phase of
 * a tenant is one process's; if that dies, another one takes over, and begins the phase again, which changes nothing that is done.
 */
export async function switchReserving(db: Queryable, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
  const running = new Set<Promise<void>>()
  try {
    do {
      for (let row = await next(db, running.size, signal); row !== undefined; row = await next(db, running.size, signal)) {
        const work: Promise<void> = switchTenant(db, row, signal)
          .catch(onError)
          .finally(() => running.delete(work))
        running.add(work)
      }
      if (running.size > 0) await Promise.race([...running, delay(LOOK_MS, undefined, { ref: false })])
    } while (running.size > 0)
  } finally {
    await Promise.all(running)
  }
}

async function next(db: Queryable, running: number, signal: AbortSignal): Promise<Claimed | undefined> {
  if (running >= AT_ONCE || signal.aborted || (await db.runOne(findWaiting, []))?.is_any !== true) return undefined
  return db.runOne(claim, [])
}

async function switchTenant(db: Queryable, row: Claimed, signal: AbortSignal): Promise<void> {
  const switching = { tenantId: row.tenant_id, switches: row.switches, lease: row.lease }
  const isDone = await doPhase(db, row.phase, switching, signal)
  await db.run(release, [row.tenant_id, row.switches, isDone ? nextPhase(row.phase, row.policy) : null, switching.lease])
}

async function doPhase(db: Queryable, phase: Phase, switching: Switching, signal: AbortSignal): Promise<boolean> {
  // So that nobody writes by the settings, or the phase, of before.
  if (!(await untilWritersEnd(db, signal, () => isKept(db, switching, signal)))) return false
  return PHASES[phase](db, switching, (startedAt) => pause(db, switching, startedAt, signal))
}

const PHASES: Record<Phase, (db: Queryable, switching: Switching, pause: Pause) => Promise<boolean>> = {
  clearing: clearReservations,
  collecting: collectOrders,
  settling: settleAll,
}

function nextPhase(phase: Phase, policy: string): Phase | 'ready' {
  if (phase === 'clearing') return policy === 'off' ? 'ready' : 'collecting'
  return phase === 'collecting' ? 'settling' : 'ready'
}

async function pause(db: Queryable, switching: Switching, startedAt: number, signal: AbortSignal): Promise<boolean> {
  await delay((performance.now() - startedAt) * PAUSE)
  return isKept(db, switching, signal)
}

/** Keeps the phase for longer. False when the work ends. */
async function isKept(db: Queryable, switching: Switching, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const kept = await db.runOne(keep, [switching.tenantId, switching.switches, switching.lease])
  if (kept !== undefined) switching.lease = kept.lease
  return kept !== undefined
}
