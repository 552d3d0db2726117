import type { Side } from './side.ts'

const OLDEST_POSTGRES = 15
/** One for the tenant, and two for tables that are copied at the same time. */
const SLOTS = 3

interface Facts {
  migrations: string
  version: number
  wal_level: string
  free_slots: number
  free_senders: number
  workers: number
  may_replicate: boolean
  may_subscribe: boolean
  may_skip_triggers: boolean
}

/** What keeps a tenant from being moved between two databases, as sentences. */
export async function missingFor(source: Side, target: Side): Promise<string[]> {
  const [from, to] = await Promise.all([factsOf(source), factsOf(target)])
  const both = [
    ...(from.migrations === to.migrations
      ? []
      : [`Shards ${source.id} and ${target.id} have other schemas: run fulfillment migrate first`]),
    ...[
      { side: source, facts: from },
      { side: target, facts: to },
    ].flatMap(({ side, facts }) => missingOfBoth(side, facts)),
  ]
  return [...both, ...missingOfSource(source, from), ...missingOfTarget(target, to)]
}

function missingOfBoth({ id }: Side, { version, may_skip_triggers: may }: Facts): string[] {
  return [
    ...(version >= OLDEST_POSTGRES ? [] : [`Shard ${id} is Postgres ${version}; a move needs ${OLDEST_POSTGRES} or newer`]),
    ...(may
      ? []
      : [`The user of shard ${id} may not set session_replication_role: run grant set on parameter session_replication_role`]),
  ]
}

function missingOfSource({ id }: Side, facts: Facts): string[] {
  const missing: string[] = []
  if (facts.wal_level !== 'logical')
    missing.push(
      `Shard ${id} runs with wal_level = ${facts.wal_level}, and a move needs logical: run alter system set wal_level = 'logical', and restart that Postgres. The embedded Postgres has it from its next start on`,
    )
  if (facts.free_slots < SLOTS)
    missing.push(
      `Shard ${id} has ${facts.free_slots} free replication slots, and a move needs ${SLOTS}: raise max_replication_slots`,
    )
  if (facts.free_senders < SLOTS)
    missing.push(`Shard ${id} has ${facts.free_senders} free WAL senders, and a move needs ${SLOTS}: raise max_wal_senders`)
  if (!facts.may_replicate) missing.push(`The user of shard ${id} may not replicate: run alter role … replication`)
  return missing
}

function missingOfTarget({ id }: Side, facts: Facts): string[] {
  return [
    ...(facts.may_subscribe
      ? []
      : [
          `The user of shard ${id} may not create subscriptions: make it a superuser or, from Postgres 16 on, grant pg_create_subscription`,
        ]),
    ...(facts.workers >= SLOTS
      ? []
      : [`Shard ${id} has max_logical_replication_workers = ${facts.workers}, and a move needs ${SLOTS}`]),
  ]
}

async function factsOf({ client }: Side): Promise<Facts> {
  const { rows } = await client.query<Facts>(`
    select (select string_agg(name, ' ' order by name) from schema_migrations) as migrations,
      current_setting('server_version_num')::int / 10000 as version, current_setting('wal_level') as wal_level,
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as free_slots,
      current_setting('max_wal_senders')::int - (select count(*)::int from pg_stat_replication) as free_senders,
      current_setting('max_logical_replication_workers')::int as workers,
      rolsuper or rolreplication as may_replicate,
      rolsuper or exists (select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(r.oid, p.oid, 'member')) as may_subscribe,
      has_parameter_privilege('session_replication_role', 'set') as may_skip_triggers
    from pg_roles r where rolname = current_user`)
  return rows[0] as Facts
}
