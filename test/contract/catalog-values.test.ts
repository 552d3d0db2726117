import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from 'kysely'
import { z } from 'zod'
import { ORDER_STATES, PICKING_STATES } from '../../server/src/order-states/index.ts'
import { pickingFlow } from '../../server/src/picking/schemas.ts'
import { stockMovement } from '../../server/src/stock/index.ts'
import { delivery, webhook } from '../../server/src/webhooks/schemas.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** What answers can say, by the column that it comes from: a value that only the database knows would make them a 500. */
const KNOWN: Record<string, readonly unknown[]> = {
  'finished_deliveries.state': valuesOf(delivery.shape.state),
  'orders.state_id': Object.values(ORDER_STATES),
  'orders.state_picking_id': Object.values(PICKING_STATES),
  'picking_flows.state': valuesOf(pickingFlow.shape.state),
  'stock_movements.movement_type': valuesOf(stockMovement.shape.movement_type),
  'waiting_deliveries.state': valuesOf(delivery.shape.state),
  'waiting_deliveries.trigger': valuesOf(delivery.shape.attempts.element.shape.trigger),
  'webhook_subscriptions.disabled_reason': valuesOf(webhook.shape.disabled_reason),
}

function valuesOf(schema: z.ZodType): readonly unknown[] {
  const { enum: values, anyOf = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return values ?? anyOf.flatMap((member) => (typeof member === 'object' ? (member.enum ?? []) : []))
}

/** The values of each CHECK that lists them, by column. */
async function listedValues(): Promise<Map<string, unknown[]>> {
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

it('the schemas know every value that the database may hold', async () => {
  const listed = await listedValues()
  expect([...listed.keys()].toSorted()).toEqual(Object.keys(KNOWN).toSorted())
  for (const [column, values] of listed) {
    expect(values.length, column).toBeGreaterThan(1)
    expect(
      values.filter((value) => !KNOWN[column]?.includes(value)),
      column,
    ).toEqual([])
  }
})

it('a subscription of a tenant that was moved away can be read', async () => {
  const tenant = await service.newTenant()
  const created = await tenant.request('POST', '/webhooks', {
    name: 'shop',
    url: 'http://127.0.0.1:1024/',
    events: ['order/created'],
  })
  await service.db.pool.query(`update webhook_subscriptions set active = false, disabled_reason = 'moved' where tenant_id = $1`, [
    tenant.id,
  ])
  const { status, body } = await tenant.request('GET', `/webhooks/${created.body.data.id}`)
  expect([status, body.data]).toEqual([200, expect.objectContaining({ active: false, disabled_reason: 'moved' })])
  await expect(
    service.db.pool.query(`update webhook_subscriptions set disabled_reason = 'unknown' where tenant_id = $1`, [tenant.id]),
  ).rejects.toMatchObject({ constraint: 'webhook_subscriptions_disabled_reason' })
})
