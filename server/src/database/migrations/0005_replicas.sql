-- What a read from a replica must be compared with, so that each API key sees its own changes. All of it is worth nothing after a crash or
-- a failover, which empty unlogged tables: until the mark below is made anew, no replica is read.

-- How far a replica must be with the write-ahead log before it shows what an API key has changed: one row for each server process.
create unlogged table write_positions (
  tenant_id bigint not null,
  key_id bigint not null,
  server_id uuid not null,
  -- In bytes from the beginning of the log; 2^53 - 1, which no replica reaches, while a change is under way.
  position bigint not null,
  -- Numbers the process's changes of the row: one that is late must not undo a later one.
  number bigint not null,
  -- From then on the row says nothing: any replica in use has long been there, or the process died.
  expires_at timestamptz not null,
  primary key (tenant_id, key_id, server_id)
) with (fillfactor = 50);

-- Tells this database, and the time since its unlogged tables were last empty, from all others. There is one row, of tenant 0, while
-- some server process reads from replicas: then all processes keep write_positions.
create unlogged table replica_mark (
  tenant_id bigint not null primary key,
  mark uuid not null,
  made_at timestamptz not null,
  wanted_until timestamptz not null
) with (fillfactor = 50);

-- The same mark where replicas get it: one that shows it follows this database and has everything from before it was made.
create table replicated_mark (
  tenant_id bigint not null primary key,
  mark uuid not null
);
