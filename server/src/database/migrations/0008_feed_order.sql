-- The id of an event was 'evt_', its transaction's number and its own number. A transaction often has its number before it waits for a
-- record, so the events of a record were not in the order in which they happened. Now the id is 'evt_1' and the event's number in 23 hex
-- digits, which is taken while the record is locked. All earlier ids are smaller.
--
-- Servers of the previous version still write ids in the old format while they are replaced. This trigger gives these events an id in the
-- new format before they are visible; readers have passed the old ids. Events copied from another database with this setting
-- keep their ids.
create function renumber_event() returns trigger language plpgsql as $$
declare
  prefix constant text := '{"id":"';
  given constant text := new.id;
begin
  -- The transaction has its number before it takes one for the event: see server/src/domain/events/feed-horizon.ts.
  perform pg_current_xact_id();
  new.id := 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0');
  if starts_with(new.body, prefix || given || '"') then
    new.body := overlay(new.body placing new.id from length(prefix) + 1 for length(given));
  end if;
  return new;
end $$;
create trigger events_renumber before insert on events
  for each row when (new.id < 'evt_1' and current_setting('fulfillment.keep_event_ids', true) is distinct from 'on')
  execute function renumber_event();

-- How far the expired rows of a table have been deleted, so that a wrong clock deletes at most one day at a time.
create table deletion_progress (
  tenant_id bigint not null default 0 check (tenant_id = 0),
  table_name text not null,
  -- Rows from before this day are deleted, and the time when this was recorded.
  deleted_before date not null,
  deleted_at timestamptz not null,
  primary key (tenant_id, table_name)
);
