-- The tables with which a read from a replica is checked, so that each API key sees its own changes. They are unlogged, so a crash or
-- failover empties them. Then no replica is read until it has replayed a new mark.

-- The position of the write-ahead log that a replica must have replayed before it shows the changes of an API key: one row per server process.
create unlogged table write_positions (
  tenant_id bigint not null,
  key_id bigint not null,
  server_id uuid not null,
  -- In bytes from the beginning of the log. 2^53 - 1, which no replica reaches, while a change is in progress.
  position bigint not null,
  -- The number of the process's change of this row: a late change must not replace a later one.
  number bigint not null,
  -- The row is ignored after this time: every usable replica has reached the position by then, or the process has died.
  expires_at timestamptz not null,
  primary key (tenant_id, key_id, server_id)
) with (fillfactor = 50);

-- Identifies this database, and the time since its unlogged tables were last emptied. There is one row, of tenant 0, while a server process
-- reads from replicas. Then all processes store write_positions.
create unlogged table replica_mark (
  tenant_id bigint not null primary key,
  mark uuid not null,
  made_at timestamptz not null,
  wanted_until timestamptz not null
) with (fillfactor = 50);

-- The same mark in a replicated table. A replica that shows it follows this database and has everything from before the mark was made.
create table replicated_mark (
  tenant_id bigint not null primary key,
  mark uuid not null
);
