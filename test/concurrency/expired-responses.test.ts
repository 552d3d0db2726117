import { sql } from 'kysely'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import type { TestService } from '../support/service.ts'

const EXPIRED = 60_000

/** Inserts stored responses that are a day old, and new ones. */
async function addResponses(service: TestService, tenantId: number): Promise<void> {
  await sql`
    insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext, created_at)
    select ${tenantId}, 'key ' || n, sha256(n::text::bytea), sha256(n::text::bytea) || sha256('a'),
      now() - case when n <= ${EXPIRED} then interval '24 hours 1 second' + make_interval(secs => n / 10) else interval '23 hours' end
    from generate_series(1, ${EXPIRED + 100}) n`.execute(service.db.kysely)
}

const countResponses = async (service: TestService): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from idempotency_keys`.execute(service.db.kysely)).rows[0]?.n ?? 0

it('servers delete all expired responses, except locked ones, when they start', async ({ startService }) => {
  const service = await startService()
  const { id } = await service.newTenant()
  // It would delete them before one is locked if a minute of it were just over.
  await service.stopServer()
  await addResponses(service, id)
  const user = await service.db.dedicatedPool.connect()
  await user.query('begin')
  await user.query(`select from idempotency_keys where key = 'key ${EXPIRED}' for update`)
  // Every server deletes expired responses when it starts, and then every minute.
  const { databaseUrl } = service
  await Promise.all([1, 2].map(() => startService({ databaseUrl })))
  await expect.poll(() => countResponses(service), { interval: 100 }).toBe(101)
  await user.query('rollback')
  user.release()
})
