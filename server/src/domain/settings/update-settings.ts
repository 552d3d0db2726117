import { setTimeout as delay } from 'node:timers/promises'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { FORGOTTEN_MS } from '../reservation-core/index.ts'
import { readSettings } from './read-settings.ts'
import { settings, updateSettingsInput } from './schemas.ts'

/** SQL for whether reserving is turned on or off. `s` is the row stored, `excluded` the new one. */
const IS_SWITCHED = `(s.reservation_policy = 'off') <> (excluded.reservation_policy = 'off')`

/**
 * A value that is not given stays: the proposed row takes it from the stored one, which is read again under its lock. Reservations of
 * before are removed first when reserving is turned off, and also when it is turned on again before that was done.
 */
const setSettings = statement<
  [tenantId: number, policyGiven: boolean, policy: string | null, barcodesGiven: boolean, barcodes: string | null],
  never
>({
  name: 'set_settings',
  connection: 'write',
  sql: `insert into tenant_settings as s (tenant_id, reservation_policy, reservation_phase, reservation_switches, weight_barcodes, updated_at)
   select $1::bigint, n.policy, case n.policy when 'off' then 'ready' else 'collecting' end, case n.policy when 'off' then 0 else 1 end,
     n.barcodes, clock_timestamp()
   from (select coalesce($3, 'off') as policy, coalesce($5::jsonb, '[]') as barcodes) n
   where n.policy <> 'off' or n.barcodes <> '[]' or exists (select from tenant_settings where tenant_id = $1)
   on conflict (tenant_id) do update
   set reservation_policy = case when $2::boolean then excluded.reservation_policy else s.reservation_policy end,
     reservation_phase = case
       when not $2 or not ${IS_SWITCHED} then s.reservation_phase
       when excluded.reservation_policy = 'off' or s.reservation_phase <> 'ready' then 'clearing'
       else 'collecting'
     end,
     reservation_switches = s.reservation_switches + case when $2 and ${IS_SWITCHED} then 1 else 0 end,
     weight_barcodes = case when $4::boolean then excluded.weight_barcodes else s.weight_barcodes end,
     updated_at = excluded.updated_at
   where $2 and s.reservation_policy <> excluded.reservation_policy or $4 and s.weight_barcodes <> excluded.weight_barcodes`,
})

/** Changes the given settings. Reserving is turned on or off at once; a background job makes or removes the reservations of open orders. */
export const updateSettings = endpoint({
  name: 'settings.update',
  scope: 'admin',
  method: 'PUT',
  path: '/settings',
  summary: 'Change the settings',
  description: `Only the given settings change; null resets a setting to its default. Calls that begin after the response use the new settings.

Turning \`reservation_policy\` on or off makes or removes the reservations of all open orders in the background; until that is done, \`reservation_state\` is \`switching\`. Sends no event.

A call with \`reservation_policy\` takes 0.3 seconds longer: it responds when every server uses the new policy.`,
  isAddition: true,
  // It waits after the commit.
  outsideTransaction: true,
  isSeenByAllKeys: true,
  input: updateSettingsInput,
  output: settings,
  run: async ({ db, caller }, { reservation_policy: policy, weight_barcodes: barcodes }) => {
    await db.run(setSettings, [
      caller.tenantId,
      policy !== undefined,
      policy ?? null,
      barcodes !== undefined,
      barcodes === undefined || barcodes === null ? null : JSON.stringify(barcodes),
    ])
    // Reads that saw the policy before rely on it a moment longer. Also when this call changed nothing: an earlier one may have got no response.
    if (policy !== undefined) await delay(FORGOTTEN_MS)
    return readSettings(db, caller.tenantId)
  },
})
