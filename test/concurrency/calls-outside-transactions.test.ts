import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { atMost } from '../support/patience.ts'
import type { Receiver } from '../support/receiver.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { it } from './support/it.ts'

const KEY = 'test call'

/** A call that waits for the receiver, which does not respond by itself. */
async function waitingCalls(tenant: TestTenant, { url }: Receiver): Promise<() => Promise<ServiceResponse>> {
  const { id } = (await tenant.request('POST', '/webhooks', { name: 'slow', url, events: ['*'] })).body.data
  return () => tenant.request('POST', `/webhooks/${id}/test`, {}, { headers: { 'idempotency-key': KEY } })
}

const codeOf = ({ status, body }: ServiceResponse): string => body.error?.code ?? String(status)
const isReplayed = ({ headers }: ServiceResponse): boolean => headers.get('idempotency-replayed') === 'true'

/** Runs `during` while this trigger changes or refuses new rows of the tenant. */
async function withTrigger(
  { db }: TestService,
  { id }: TestTenant,
  [table, action]: [table: string, action: string],
  during: () => Promise<unknown>,
): Promise<void> {
  await sql`create function in_test() returns trigger language plpgsql as $$ begin ${sql.raw(action)}; return new; end $$`.execute(
    db.kysely,
  )
  await sql`create trigger in_test before insert on ${sql.table(table)} for each row when (new.tenant_id = ${sql.lit(id)})
    execute function in_test()`.execute(db.kysely)
  try {
    await during()
  } finally {
    await sql`drop function in_test cascade`.execute(db.kysely)
  }
}

/** As if the call had got its key two minutes ago. */
const BEGAN_EARLIER: [table: string, action: string] = ['idempotency_keys', `new.created_at := now() - interval '2 minutes'`]
/** The result of a call cannot be stored. */
const FAILS: [table: string, action: string] = ['finished_deliveries', 'raise disk_full']

describe('a call that runs outside of a transaction', () => {
  it('keeps its Idempotency-Key for as long as it runs', async ({ service, tenant, startReceiver }) => {
    const receiver = await startReceiver(() => {})
    const call = await waitingCalls(tenant, receiver)
    let underWay: Promise<ServiceResponse> | undefined
    await withTrigger(service, tenant, BEGAN_EARLIER, () => {
      underWay = call()
      return receiver.count(1)
    })
    const isNew = async (): Promise<boolean> => {
      const { rows } = await sql`
        select from idempotency_keys where tenant_id = ${tenant.id} and created_at > now() - interval '1 minute'`.execute(
        service.db.kysely,
      )
      return rows.length === 1
    }
    await expect.poll(isNew, { timeout: atMost(6_000) }).toBe(true)
    expect(codeOf(await call())).toBe('idempotency_conflict')
    receiver.received[0]?.response.end('ok')
    expect((await underWay)?.status).toBe(200)
    expect(isReplayed(await call())).toBe(true)
  })

  it.for(['fails', 'succeeds'])(
    'leaves its Idempotency-Key to the call that got it after a minute without a sign of life, when it %s',
    async (end, { service, tenant, startReceiver }) => {
      const receiver = await startReceiver(() => {})
      const call = await waitingCalls(tenant, receiver)
      let first: Promise<ServiceResponse> | undefined
      await withTrigger(service, tenant, BEGAN_EARLIER, () => {
        first = call()
        return receiver.count(1)
      })
      const second = call()
      const [ofFirst, ofSecond] = await receiver.count(2)
      const endFirst = async (): Promise<void> => {
        ofFirst?.response.end('ok')
        expect((await first)?.status).toBe(end === 'fails' ? 503 : 200)
      }
      await (end === 'fails' ? withTrigger(service, tenant, FAILS, endFirst) : endFirst())
      expect(codeOf(await call())).toBe('idempotency_conflict')
      ofSecond?.response.end('ok')
      const { body } = await second
      const again = await call()
      expect([again.body, isReplayed(again)]).toEqual([body, true])
    },
  )
})
