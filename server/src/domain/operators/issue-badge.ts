import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { newBadge } from './badge.ts'
import { operatorNotFound } from './get-operator.ts'
import { issueBadgeOutput, operatorId } from './schemas.ts'

const replaceBadge = statement<[tenantId: number, id: number, hash: Buffer], { id: number }>({
  name: 'replace_badge',
  connection: 'write',
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
    'Returns the text to print on the badge, once. The badge signs the operator in on enrolled devices of the tenant and is valid nowhere else. The previous badge becomes invalid; the operator stays signed in on devices.',
  isAddition: true,
  input: operatorId,
  output: issueBadgeOutput,
  run: async ({ db, caller }, { id }) => {
    const { hash, text } = newBadge(id)
    if ((await db.runOne(replaceBadge, [caller.tenantId, id, hash])) === undefined) throw operatorNotFound()
    return { badge: text }
  },
})
