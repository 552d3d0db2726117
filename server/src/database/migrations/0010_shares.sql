-- Rows are deleted after a day, thousands at a time. Vacuum should run before a fifth of the table is dead.
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
