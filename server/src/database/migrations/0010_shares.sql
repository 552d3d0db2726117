-- Rows go a day after they came, thousands at a time: vacuum is to follow before a fifth of the table is dead.
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
