import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.ts'
import { type Pulse, TenantPulse } from '../../domain/events/index.ts'
import type { Shards } from '../../shards/shards.ts'
import { entityTag } from '../body/entity-tag.ts'
import { BriefCache } from '../brief-cache.ts'

/** However many pages of a tenant ask, the database is asked once in this time. */
const READ_EVERY_MS = 1_000
/** For longer than a page waits between two pulses. */
const FORGET_AFTER_MS = 60_000
const MAX_TENANTS = 10_000

/** The pulses of tenants that have a page open. */
export class Pulses {
  readonly #pulses: BriefCache<Pulse>

  constructor(shards: Shards) {
    const tenants = new LRUCache<number, { db: Database; pulse: TenantPulse }>({
      max: MAX_TENANTS,
      ttl: FORGET_AFTER_MS,
      updateAgeOnGet: true,
    })
    this.#pulses = new BriefCache(async (name) => {
      const tenantId = Number(name)
      const db = shards.of(tenantId)
      const known = tenants.get(tenantId)
      // A tenant that was moved to another shard begins anew there.
      const pulse = known?.db === db ? known.pulse : new TenantPulse(db.forTenant(tenantId), tenantId)
      tenants.set(tenantId, { db, pulse })
      return await pulse.read()
    }, READ_EVERY_MS)
  }

  /** Sends the tokens of the caller's tenant, or 304 if they are those that the page has. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { tenantId } = request.caller
    const { tokens, position } = (await this.#pulses.find(String(tenantId))) as Pulse
    const tag = entityTag(JSON.stringify(tokens))
    reply.header('ETag', tag).header('X-Page-Position', String(position))
    if (request.headers['if-none-match'] === tag) return await reply.code(304).send()
    return { success: true, data: tokens }
  }
}
