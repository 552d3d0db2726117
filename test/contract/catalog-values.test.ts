import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { ORDER_STATES, PICKING_STATES } from '@fulfillment/server/domain/order-states/index.ts'
import { pickingFlow } from '@fulfillment/server/domain/picking/schemas.ts'
import { apiKey } from '@fulfillment/server/domain/api-keys/schemas.ts'
import { inbound } from '@fulfillment/server/domain/inbound/index.ts'
import { hold } from '@fulfillment/server/domain/reservations/schemas.ts'
import { receiveReturnInput, returnRecord } from '@fulfillment/server/domain/returns/schemas.ts'
import { shipment } from '@fulfillment/server/domain/shipments/index.ts'
import { listSessionsOutput } from '@fulfillment/server/domain/sessions/schemas.ts'
import { settings } from '@fulfillment/server/domain/settings/schemas.ts'
import { count } from '@fulfillment/server/domain/counts/index.ts'
import { stockMovement } from '@fulfillment/server/domain/stock/index.ts'
import { delivery, webhook } from '@fulfillment/server/domain/webhooks/schemas.ts'
import type { TestService } from '../support/service.ts'

const SESSION_KINDS = valuesOf(listSessionsOutput.shape.sessions.element.shape.kind)

/** The values that the document allows in responses, by column. Another value in the database would turn the response into a 500. */
const KNOWN: Record<string, readonly unknown[]> = {
  'finished_deliveries.state': valuesOf(delivery.shape.state),
  'holds.state': valuesOf(hold.shape.state),
  'inbound.state': valuesOf(inbound.shape.state),
  // In no response.
  'moved_tenants.state': ['settled', 'copying', 'switching', 'leaving', 'returning'],
  'orders.state_id': Object.values(ORDER_STATES),
  'orders.state_picking_id': Object.values(PICKING_STATES),
  'picking_flows.state': valuesOf(pickingFlow.shape.state),
  'return_receipts.disposition': valuesOf(receiveReturnInput.shape.disposition),
  'returns.state': valuesOf(returnRecord.shape.state),
  'sessions.kind': SESSION_KINDS,
  'sessions.mode': valuesOf(apiKey.shape.mode),
  // In no response.
  'shards.state': ['active', 'draining'],
  'shipments.state': valuesOf(shipment.shape.state),
  'sign_in_codes.kind': SESSION_KINDS,
  'stock_counts.state': valuesOf(count.shape.state),
  'stock_movements.movement_type': valuesOf(stockMovement.shape.movement_type),
  // Shown as `ready` or `switching`.
  'tenant_settings.reservation_phase': ['ready', 'clearing', 'collecting', 'settling'],
  'tenant_settings.reservation_policy': valuesOf(settings.shape.reservation_policy),
  'waiting_deliveries.state': valuesOf(delivery.shape.state),
  'waiting_deliveries.trigger': valuesOf(delivery.shape.attempts.element.shape.trigger),
  'webhook_subscriptions.disabled_reason': valuesOf(webhook.shape.disabled_reason),
}

function valuesOf(schema: z.ZodType): readonly unknown[] {
  const { enum: values, anyOf = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return values ?? anyOf.flatMap((member) => (typeof member === 'object' ? (member.enum ?? []) : []))
}

/** The values of each CHECK that lists them, by column. */
async function listedValues(service: TestService): Promise<Map<string, unknown[]>> {
  const { rows } = await sql<{ column: string; values: unknown[] }>`
    select c.relname || '.' || a.attname as column, listed.values
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid and not c.relispartition
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    cross join lateral (
      select json_agg(case when m[2] is null then m[1]::json else to_json(m[2]) end) as values
      from regexp_matches(pg_get_constraintdef(k.oid), '(?:([0-9]+)|''([^'']+)''::text)', 'g') m
    ) listed
    where k.contype = 'c' and k.connamespace = 'public'::regnamespace and pg_get_constraintdef(k.oid) like '%ANY (ARRAY[%'`.execute(
    service.db.kysely,
  )
  return new Map(rows.map(({ column, values }) => [column, values]))
}

it('the schemas contain every value that the database can contain', async ({ service }) => {
  const listed = await listedValues(service)
  expect([...listed.keys()].toSorted()).toEqual(Object.keys(KNOWN).toSorted())
  for (const [column, values] of listed) {
    expect(values.length, column).toBeGreaterThan(1)
    expect(
      values.filter((value) => !KNOWN[column]?.includes(value)),
      column,
    ).toEqual([])
  }
})

it('a subscription of a moved tenant can be read', async ({ service, tenant }) => {
  const created = await tenant.request('POST', '/webhooks', {
    name: 'shop',
    url: 'http://127.0.0.1:1024/',
    events: ['order/created'],
  })
  await service.db.dedicatedPool.query(
    `update webhook_subscriptions set active = false, disabled_reason = 'moved' where tenant_id = $1`,
    [tenant.id],
  )
  const { status, body } = await tenant.request('GET', `/webhooks/${created.body.data.id}`)
  expect([status, body.data]).toEqual([200, expect.objectContaining({ active: false, disabled_reason: 'moved' })])
  await expect(
    service.db.dedicatedPool.query(`update webhook_subscriptions set disabled_reason = 'unknown' where tenant_id = $1`, [
      tenant.id,
    ]),
  ).rejects.toMatchObject({ constraint: 'webhook_subscriptions_disabled_reason' })
})
