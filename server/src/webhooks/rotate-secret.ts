import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { newSigningSecret } from './signing-secret.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const replaceSecret = statement<[tenantId: number, id: number, secretCiphertext: Buffer], { previous_secret_expires_at: string }>(
  'replace_secret',
  `update webhook_subscriptions
   set secret_ciphertext = $3, previous_secret_ciphertext = secret_ciphertext, previous_secret_expires_at = now() + interval '24 hours', updated_at = now()
   where tenant_id = $1 and id = $2
   returning previous_secret_expires_at`,
)

/** Gives the subscription a new signing secret and returns it; for 24 hours the one before signs too. Throws `not_found`. */
export async function rotateSecret(
  { db, caller, encryption }: RequestContext,
  input: { id: string },
): Promise<{ id: string; secret: string; previous_secret_expires_at: string }> {
  const secret = newSigningSecret()
  const row = await db.runOne(replaceSecret, [caller.tenantId, subscriptionIdOf(input.id), encryption.encrypt(secret)])
  if (row === undefined) throw webhookNotFound()
  return { id: input.id, secret, previous_secret_expires_at: row.previous_secret_expires_at }
}
