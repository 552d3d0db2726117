import { rollup } from '../../database/rollups/rollup.ts'

const addUp = (table: string, period: string, value: string): string => `
   insert into ${table} as s (tenant_id, ${period}, operator_email, picks, units, flows, seconds)
   select tenant_id, ${value}, operator_email, sum(picks), sum(units), sum(flows), sum(seconds) from taken group by 1, 2, 3
   on conflict (tenant_id, ${period}, operator_email) do update
   set picks = s.picks + excluded.picks, units = s.units + excluded.units, flows = s.flows + excluded.flows, seconds = s.seconds + excluded.seconds`

/** Adds up what operators picked, by hour and by day. */
export const foldPicks = rollup({
  name: 'fold_pick_changes',
  changes: 'pick_changes',
  ctes: `by_hour as (${addUp('pick_hours', 'at', 'at')}
   ), by_day as (${addUp('pick_days', 'day', `(at at time zone 'UTC')::date`)}
   )`,
})
