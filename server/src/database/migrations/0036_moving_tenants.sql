-- Tenants that were moved, and so may be in another shard than their id tells. Only the directory has rows.
create table moved_tenants (
  -- Of the tenant. Its sandbox is always in the same shard.
  id bigint primary key,
  sandbox_id bigint not null unique,
  -- Where it is.
  shard_id integer not null,
  -- `copying`: rows are copied to the other shard. `switching`: its calls wait. `leaving`: it is in its new shard, and what is left in the other one is
  -- deleted. `returning`: the move is given up, and the copy is deleted.
  state text not null default 'settled' check (state in ('settled', 'copying', 'switching', 'leaving', 'returning')),
  other_id integer,
  -- Counts the moves, for the names of what a move makes.
  moves integer not null,
  -- Counts the commands that worked at a move: a command of before can change nothing any more.
  epoch bigint not null,
  check ((state = 'settled') = (other_id is null))
);

-- The keys of tenants that were moved out of the directory. Such a key does not tell its tenant.
create table moved_keys (
  key_hash bytea primary key,
  of_tenant bigint not null
);
create index moved_keys_by_tenant on moved_keys (of_tenant);

-- In each shard: the tenants that are moved from or to it. While it is closed, triggers refuse the tenant's writes.
create table tenant_fences (
  id bigint primary key,
  sandbox_id bigint not null,
  is_closed boolean not null,
  epoch bigint not null
);

-- A number that a move writes in the old shard, to see that the new one has everything from before.
create table move_marks (
  tenant_id bigint primary key,
  mark bigint not null
);

-- The triggers of this function are made by a move, on every table with rows of the tenant, for those rows alone, and dropped at its end. Writers share
-- the lock that whoever closes the fence takes alone: so a transaction ends before the fence is closed, or sees that it is. The first argument is the tenant.
--
-- The second one says what becomes of a write when the fence is closed: `refuse`, or `ignore`, as if there were no such row: for rows that a task of the
-- service writes for many tenants at once, or that no call writes without another row that is refused.
create function fence_tenant() returns trigger language plpgsql as $$
declare
  ignored boolean := tg_argv[1] = 'ignore';
begin
  perform pg_advisory_xact_lock_shared((tg_argv[0]::bigint % 2147483648)::int, 1);
  if not exists (select from tenant_fences where id = tg_argv[0]::bigint and is_closed) then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  if tg_op = 'UPDATE' then
    if tg_table_name = 'waiting_deliveries' then ignored := 'in_flight' in (to_jsonb(old) ->> 'state', to_jsonb(new) ->> 'state');
    elsif tg_table_name = 'api_keys' then ignored := to_jsonb(old) - 'last_used_at' = to_jsonb(new) - 'last_used_at';
    elsif tg_table_name = 'tenant_settings' then ignored := to_jsonb(old) - 'switching_until' = to_jsonb(new) - 'switching_until';
    end if;
  end if;
  if ignored then return null; end if;
  raise exception 'tenant % is being moved to another database', tg_argv[0] using errcode = '55F01';
end $$;

-- What a process that slept through a move writes is refused by a foreign key, when the tenant is gone. This table has no other one.
alter table operators add constraint operators_tenant_id_fkey foreign key (tenant_id) references tenants (id) not valid;
