import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { newBadge } from './badge.ts'
import { operatorNotFound } from './get-operator.ts'
import { issueBadgeOutput, operatorId } from './schemas.ts'

const replaceBadge = statement<[tenantId: number, id: number, hash: Buffer], { id: number }>({
  name: 'replace_badge',
  lane: 'write',
  sql: `update operators set badge_hash = $3 where tenant_id = $1 and id = $2 returning id`,
})

/** Issues a badge, which replaces the one before. Throws `not_found`. */
export const issueBadge = endpoint({
  name: 'operators.issueBadge',
  scope: 'admin',
  method: 'POST',
  path: '/operators/{id}/badge',
  summary: 'Issue a badge',
  description:
    'Returns the text to print on the badge, once, as `badge`. It signs the operator in on an enrolled device of the tenant and is valid nowhere else. The badge before it is no longer valid; devices on which the operator is signed in stay so.',
  isAddition: true,
  input: operatorId,
  output: issueBadgeOutput,
  run: async ({ db, caller }, { id }) => {
    const { hash, text } = newBadge(id)
    if ((await db.runOne(replaceBadge, [caller.tenantId, id, hash])) === undefined) throw operatorNotFound()
    return { badge: text }
  },
})
