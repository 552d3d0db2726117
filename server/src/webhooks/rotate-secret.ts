import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { newSigningSecret } from './signing-secret.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

/** Former secrets that sign besides the current one: each adds a signature to every request. */
const MAX_FORMER = 10

const replaceSecret = statement<
  [tenantId: number, id: number, secretCiphertext: Buffer],
  { replaced: boolean; previous_secret_expires_at: string }
>(
  'replace_secret',
  `with subscription as materialized (
     select * from webhook_subscriptions where tenant_id = $1 and id = $2 for no key update
   ), older as (
     select coalesce(jsonb_agg(former.secret order by former.number), '[]') as secrets, count(*) as count
     from subscription s cross join lateral (
       select 0 as number, jsonb_build_object('ciphertext', encode(s.previous_secret_ciphertext, 'hex'), 'expires_at', s.previous_secret_expires_at) as secret
       union all
       select o.number, o.secret from jsonb_array_elements(s.older_secrets) with ordinality o (secret, number)
     ) former
     where (former.secret ->> 'expires_at')::timestamptz > now()
   ), replaced as (
     update webhook_subscriptions w
     set secret_ciphertext = $3, previous_secret_ciphertext = s.secret_ciphertext, previous_secret_expires_at = now() + interval '24 hours',
       older_secrets = older.secrets, updated_at = now()
     from subscription s, older
     where w.tenant_id = s.tenant_id and w.id = s.id and older.count < ${MAX_FORMER}
     returning w.previous_secret_expires_at
   )
   select r.previous_secret_expires_at is not null as replaced, r.previous_secret_expires_at from subscription left join replaced r on true`,
)

/**
 * Gives the subscription a new signing secret and returns it; every former one signs too, until 24 hours after it was replaced. Throws
 * `not_found`, and `validation_error` when there would be too many former ones.
 */
export async function rotateSecret(
  { db, caller, encryption }: RequestContext,
  input: { id: string },
): Promise<{ id: string; secret: string; previous_secret_expires_at: string }> {
  const secret = newSigningSecret()
  const row = await db.runOne(replaceSecret, [caller.tenantId, subscriptionIdOf(input.id), encryption.encrypt(secret)])
  if (row === undefined) throw webhookNotFound()
  if (!row.replaced) {
    const problem = `the secret was replaced ${MAX_FORMER} times within 24 hours, and the former secrets still sign; rotate it again later`
    throw new ServiceError('validation_error', `secret: ${problem}`)
  }
  return { id: input.id, secret, previous_secret_expires_at: row.previous_secret_expires_at }
}
