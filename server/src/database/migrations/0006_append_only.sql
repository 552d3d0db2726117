-- Rows of these tables are written once and go with their day, so there is nothing for vacuum to clean; but by recording the few hundred
-- bytes left over on each page it makes the next rows go there, one to a page. Measured with six million events of a day: writing 100
-- events costs Postgres 2.7 ms instead of 0.95, and each row brings a page image into the log after a checkpoint.
do $$
declare partition regclass;
begin
  for partition in
    select inhrelid from pg_inherits
    where inhparent in ('events'::regclass, 'finished_deliveries'::regclass, 'audit_log'::regclass)
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_threshold = -1)', partition);
  end loop;
end $$;
