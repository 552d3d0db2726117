import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { rotateSecretOutput, webhookPath } from './schemas.ts'
import { newSigningSecret } from './signing-secret.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

/** Replaced secrets that still sign: each adds a signature to every request. */
const MAX_FORMER = 10

const replaceSecret = statement<
  [tenantId: number, id: number, secretCiphertext: Buffer],
  { replaced: true; previous_secret_expires_at: string } | { replaced: false; previous_secret_expires_at: null }
>({
  name: 'replace_secret',
  connection: 'write',
  sql: `with subscription as materialized (
     select * from webhook_subscriptions where tenant_id = $1 and id = $2 for no key update
   ), expired as (
     delete from webhook_former_secrets where tenant_id = $1 and subscription_id = $2 and expires_at <= now()
   ), allowed as materialized (
     select s.* from subscription s
     where coalesce((s.previous_secret_expires_at > now())::int, 0)
       + (select count(*) from webhook_former_secrets where tenant_id = $1 and subscription_id = $2 and expires_at > now()) < ${MAX_FORMER}
   ), moved as (
     insert into webhook_former_secrets (tenant_id, subscription_id, secret_ciphertext, expires_at)
     select tenant_id, id, previous_secret_ciphertext, previous_secret_expires_at from allowed where previous_secret_expires_at > now()
   ), replaced as (
     update webhook_subscriptions w
     set secret_ciphertext = $3, previous_secret_ciphertext = s.secret_ciphertext, previous_secret_expires_at = now() + interval '24 hours',
       updated_at = now()
     from allowed s where w.tenant_id = s.tenant_id and w.id = s.id
     returning w.previous_secret_expires_at
   )
   select r.previous_secret_expires_at is not null as replaced, r.previous_secret_expires_at from subscription left join replaced r on true`,
})

/**
 * Gives the subscription a new signing secret and returns it. A replaced secret also signs for another 24 hours. Throws `not_found`, and
 * `validation_error` when too many replaced secrets still sign.
 */
export const rotateSecret = endpoint({
  name: 'webhooks.rotateSecret',
  scope: 'write:webhooks',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  summary: 'Rotate the signing secret',
  description:
    'Returns a new secret. A replaced secret also signs for another 24 hours, as an additional `v1`. At most 10 replaced secrets sign at the same time; a rotation beyond that is refused.',
  isAddition: true,
  input: webhookPath,
  output: rotateSecretOutput,
  run: async ({ db, caller, encryption }, input) => {
    const secret = newSigningSecret()
    const row = await db.runOne(replaceSecret, [caller.tenantId, subscriptionIdOf(input.id), encryption.encrypt(secret)])
    if (row === undefined) throw webhookNotFound()
    if (!row.replaced) {
      const problem = `the secret was replaced ${MAX_FORMER} times within 24 hours, and the replaced secrets still sign; rotate it again later`
      throw new ServiceError('validation_error', `secret: ${problem}`)
    }
    return { id: input.id, secret, previous_secret_expires_at: row.previous_secret_expires_at }
  },
})
