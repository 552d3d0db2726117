import { OLDEST_POSTGRES } from '../change-shards.ts'
import type { Side } from './side.ts'

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
  may_create: boolean
  owns_tables: boolean
  is_superuser: boolean
  role: string
}

/** What keeps a tenant from being moved between two databases, as sentences. */
export async function missingFor(source: Side, target: Side): Promise<string[]> {
  const [from, to] = await Promise.all([factsOf(source), factsOf(target)])
  const both = [
    ...(from.migrations === to.migrations
      ? []
      : [`Shards ${source.id} and ${target.id} have different schemas: run fulfillment migrate first`]),
    ...[
      { side: source, facts: from },
      { side: target, facts: to },
    ].flatMap(({ side, facts }) => missingOfBoth(side, facts)),
  ]
  return [...both, ...missingOfSource(source, from), ...missingOfTarget(target, to), ...missingPassword(source, to)]
}

/** The password with which the target follows the source. Postgres demands one of whoever is not a superuser. */
function missingPassword({ id, db }: Side, to: Facts): string[] {
  if (to.is_superuser || new URL(db.url).password !== '') return []
  return [`The address of shard ${id} has no password, and only a superuser may subscribe without one`]
}

function missingOfBoth({ id }: Side, facts: Facts): string[] {
  const { version, role } = facts
  return [
    ...(version >= OLDEST_POSTGRES ? [] : [`Shard ${id} is Postgres ${version}; a move needs ${OLDEST_POSTGRES} or newer`]),
    ...(facts.may_skip_triggers
      ? []
      : [
          `The user ${role} of shard ${id} may not set session_replication_role: run grant set on parameter session_replication_role to ${role}`,
        ]),
    ...(facts.may_create
      ? []
      : [
          `The user ${role} of shard ${id} may not create publications and subscriptions in its database: run grant create on database … to ${role}`,
        ]),
    ...(facts.owns_tables
      ? []
      : [
          `The user ${role} of shard ${id} does not own its tables: use their owner, or run grant OWNER to ${role} with the name of their owner`,
        ]),
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
  if (!facts.may_replicate)
    missing.push(`The user ${facts.role} of shard ${id} may not replicate: run alter role ${facts.role} replication`)
  return missing
}

function missingOfTarget({ id }: Side, facts: Facts): string[] {
  return [
    ...(facts.may_subscribe
      ? []
      : [`The user ${facts.role} of shard ${id} may not create subscriptions: ${rightToSubscribe(facts)}`]),
    ...(facts.workers >= SLOTS
      ? []
      : [`Shard ${id} has max_logical_replication_workers = ${facts.workers}, and a move needs ${SLOTS}`]),
  ]
}

/** Before Postgres 16, only a superuser may. */
const rightToSubscribe = ({ version, role }: Facts): string =>
  version < 16 ? `in Postgres ${version}, it must be a superuser` : `run grant pg_create_subscription to ${role}`

async function factsOf({ client }: Side): Promise<Facts> {
  const { rows } = await client.query<Facts>(`
    select (select string_agg(name, ' ' order by name) from schema_migrations) as migrations,
      current_setting('server_version_num')::int / 10000 as version, current_setting('wal_level') as wal_level,
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as free_slots,
      current_setting('max_wal_senders')::int - (select count(*)::int from pg_stat_replication) as free_senders,
      current_setting('max_logical_replication_workers')::int as workers,
      rolsuper or rolreplication as may_replicate,
      rolsuper or exists (select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(r.oid, p.oid, 'usage')) as may_subscribe,
      has_parameter_privilege('session_replication_role', 'set') as may_skip_triggers,
      has_database_privilege(current_database(), 'create') as may_create,
      not exists (
        select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not pg_has_role(relowner, 'usage')
      ) as owns_tables,
      rolsuper as is_superuser, quote_ident(rolname) as role
    from pg_roles r where rolname = current_user`)
  return rows[0] as Facts
}
