import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const EXPIRED = 60_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Answers of a day ago and of now, in the table of one service's database. */
async function addAnswers(tenantId: number): Promise<void> {
  await sql`
    insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext, created_at)
    select ${tenantId}, 'key ' || n, sha256(n::text::bytea), sha256(n::text::bytea) || sha256('a'),
      now() - case when n <= ${EXPIRED} then interval '24 hours 1 second' + make_interval(secs => n / 10) else interval '23 hours' end
    from generate_series(1, ${EXPIRED + 100}) n`.execute(service.db.kysely)
}

const countAnswers = async (): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from idempotency_keys`.execute(service.db.kysely)).rows[0]?.n ?? 0

it('expired answers go at once, however many, also with several servers, and one that is in use holds up no other', async () => {
  const tenant = await service.newTenant()
  await addAnswers(tenant.id)
  const user = await service.db.pool.connect()
  await user.query('begin')
  await user.query(`select from idempotency_keys where key = 'key ${EXPIRED}' for update`)
  // Every server expires answers when it starts, and then each minute.
  const { databaseUrl } = service
  const servers = await Promise.all([1, 2].map(() => startService({ databaseUrl })))
  await expect.poll(countAnswers, { interval: 100 }).toBe(101)
  await user.query('rollback')
  user.release()
  for (const server of servers) await server.stop()
})
