import type { TestService, TestTenant } from './service.ts'

/** An event as sent to subscribers. */
export interface RecordedEvent {
  id: string
  event: string
  created_at: string
  data: Record<string, unknown>
}

/** Every event of the tenant, oldest first. */
export async function eventsOf(service: TestService, tenant: TestTenant): Promise<RecordedEvent[]> {
  const rows = await service.db.kysely
    .selectFrom('events')
    .select('body')
    .where('tenant_id', '=', tenant.id)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body) as RecordedEvent)
}
