-- A tenant's keys that may be valid: what is counted before another one is made. Revoked ones, of which there may be any number, are not in it.
-- The table has a row for each key ever made, so making the index keeps nobody waiting for long.
create index api_keys_valid on api_keys (tenant_id, (coalesce(expires_at, 'infinity'))) where revoked_at is null;

-- Rows go a day after they came, thousands at a time: vacuum is to follow before a fifth of the table is dead.
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
