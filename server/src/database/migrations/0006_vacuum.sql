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

-- What is claimed keeps its place in the index of what is due: the claim changes no indexed column, and finds room for the new version of
-- the row on the same page. Before, each claim left dead entries between now and the end of its lease, for the next ones to pass over.
alter table waiting_deliveries add column lease_until timestamptz;
comment on column waiting_deliveries.lease_until is
  'While in flight: until then nobody else sends it. Null means next_attempt_at, where servers of before wrote it.';
comment on column waiting_deliveries.next_attempt_at is 'When it is or was due.';
alter table waiting_deliveries set (fillfactor = 50);

-- Room for the next version of a row that has got a new price, so that its index entries stay.
alter table products set (fillfactor = 85);
