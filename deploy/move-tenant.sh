#!/usr/bin/env bash
# Moves a tenant and its sandbox to another database of the same schema and the same ENCRYPTION_KEY: docs/scaling.md says when and how.
#   SOURCE_URL=postgres://… TARGET_URL=postgres://… deploy/move-tenant.sh TENANT_ID
# During the move the tenant's keys get 401. If the move fails, the source is as before.
set -euo pipefail

tenant=${1:?the id of the tenant is missing}
[[ $tenant =~ ^[0-9]+$ ]] || { echo "TENANT_ID must be a number, not $tenant" >&2; exit 1; }
: "${SOURCE_URL:?is not set}" "${TARGET_URL:?is not set}"
# Longer than servers cache a key plus the time limit of a statement.
grace_seconds=${GRACE_SECONDS:-20}

source_sql() { psql "$SOURCE_URL" --no-psqlrc -qAt -v ON_ERROR_STOP=1 "$@"; }
target_sql() { psql "$TARGET_URL" --no-psqlrc -qAt -v ON_ERROR_STOP=1 "$@"; }
fail() { echo "$1" >&2; exit 1; }

migrations='select string_agg(name, chr(44) order by name) from schema_migrations'
[[ $(source_sql -c "$migrations") == "$(target_sql -c "$migrations")" ]] || fail 'The schemas differ: run the same version on both first.'
tenants=$(source_sql -c "select string_agg(id::text, ',' order by id) from tenants where $tenant in (id, sandbox_of)")
[[ -n $tenants ]] || fail "There is no tenant $tenant in the source."
[[ $(target_sql -c "select count(*) from tenants where id in ($tenants)") == 0 ]] || fail "The target has a tenant $tenants already."

folder=$(mktemp -d)
frozen_at=$(source_sql -c 'select clock_timestamp()')
thaw() { source_sql -c "update api_keys set revoked_at = null where tenant_id in ($tenants) and revoked_at = '$frozen_at'"; }
trap 'thaw; rm -rf "$folder"' EXIT
source_sql -c "update api_keys set revoked_at = '$frozen_at' where tenant_id in ($tenants) and revoked_at is null"
sleep "$grace_seconds"

# New events of the tenant must sort after its existing ones. Restarting the sequence locks it until the commit.
last_event=$(source_sql -c 'select last_value from event_sequence')
target_sql <<SQL
set lock_timeout = '10s';
do \$\$
begin
  alter sequence event_sequence no cycle;
  if (select last_value from event_sequence) <= $last_event then alter sequence event_sequence restart with $((last_event + 1)); end if;
end \$\$;
SQL

# Tables in the order of their foreign keys, with their columns. Unlogged tables, such as rate limit counters, are not copied.
tables=$(source_sql -F ' ' <<'SQL'
with recursive tenant_table as (
  select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
), foreign_key as (
  select distinct conrelid, confrelid from pg_constraint where contype = 'f' and conparentid = 0 and conrelid <> confrelid
), depth as (
  select oid, 0 as steps from tenant_table
  union
  select f.conrelid, d.steps + 1 from depth d join foreign_key f on f.confrelid = d.oid
)
select t.relname, (select string_agg(quote_ident(attname), ',' order by attnum) from pg_attribute
  where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '')
from tenant_table t order by (select max(steps) from depth d where d.oid = t.oid), t.relname
SQL
)

{
  echo 'begin isolation level repeatable read read only;'
  echo "\\copy (select id, name, sandbox_of, created_at from tenants where id in ($tenants) order by id) to '$folder/tenants'"
  while read -r table columns; do
    echo "\\copy (select $columns from $table where tenant_id in ($tenants)) to '$folder/$table'"
  done <<<"$tables"
} | source_sql

{
  echo 'begin;'
  # Events keep their ids, which readers and receivers have stored.
  echo "set local fulfillment.keep_event_ids = 'on';"
  # The counts are copied like all other rows.
  echo "set local fulfillment.keep_counts = 'on';"
  echo "\\copy tenants (id, name, sandbox_of, created_at) from '$folder/tenants'"
  while read -r table columns; do
    echo "\\copy $table ($columns) from '$folder/$table'"
  done <<<"$tables"
  echo "update api_keys set revoked_at = null where tenant_id in ($tenants) and revoked_at = '$frozen_at';"
  # New records of the tenant must get ids above its existing ones.
  cat <<SQL
do \$\$
declare identity record; highest bigint;
begin
  for identity in
    select c.relname, a.attname, pg_get_serial_sequence(c.relname, a.attname) as sequence, c.relname = 'tenants' as is_tenants
    from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attidentity <> '' and c.relnamespace = 'public'::regnamespace
      and (c.relname = 'tenants' or exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id'))
  loop
    execute format('select max(%I) from %I where %s in ($tenants)', identity.attname, identity.relname,
      case when identity.is_tenants then 'id' else 'tenant_id' end) into highest;
    -- Never lower the sequence: other tenants use it at the same time.
    if highest is not null and highest > nextval(identity.sequence) then perform setval(identity.sequence, highest); end if;
  end loop;
end \$\$;
commit;
SQL
} | target_sql

trap 'rm -rf "$folder"' EXIT
# The target delivers from now on. It repeats events that the source sent during the move, with the same ids.
source_sql -c "delete from waiting_deliveries where tenant_id in ($tenants)" -c "delete from event_outbox where tenant_id in ($tenants)" \
  -c "update webhook_subscriptions set active = false, disabled_reason = 'moved' where tenant_id in ($tenants)"
echo "Moved tenant $tenants: $(wc -l <<<"$tables") tables. Its keys work on the target; its rows in the source are still there."
