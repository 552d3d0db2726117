import type { Clock } from '../../clock.ts'
import type { Attempt } from '../../database/schema.ts'
import type { Encryption } from '../../encryption.ts'
import { failure, type Answer, type Sender } from './sender.ts'
import { standardWebhooksSignature, webhookSignature } from './signature.ts'

/** What an attempt needs to know. */
export interface Outgoing {
  event_id: string
  topic: string
  body: string
  url: string
  secret_ciphertext: Buffer
  previous_secret_ciphertext: Buffer | null
  previous_secret_expires_at: string | null
  attempt_number: number
  trigger: Attempt['trigger']
}

/** An attempt as it is logged, and what else follows from the answer. */
export interface AttemptResult {
  attempt: Attempt
  acknowledged: boolean
  retryAfter: string | undefined
  endedAt: Date
}

export interface AttemptTools {
  sender: Sender
  encryption: Encryption
  clock: Clock
}

const USER_AGENT = 'Fulfillment-Webhooks/1.0'

/** Signs an event and sends it once. Never throws. */
export async function attemptDelivery(outgoing: Outgoing, tools: AttemptTools): Promise<AttemptResult> {
  const startedAt = tools.clock.now()
  const started = performance.now()
  const { status, body, retryAfter, error } = await sendSigned(outgoing, tools, startedAt)
  const durationMs = Math.round(performance.now() - started)
  const acknowledged = error === null && status !== null && status >= 200 && status < 300
  const attempt: Attempt = {
    number: outgoing.attempt_number,
    trigger: outgoing.trigger,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    response_status: status,
    response_body: body,
    error: error ?? (acknowledged ? null : `The receiver answered ${status}`),
  }
  return { attempt, acknowledged, retryAfter, endedAt: tools.clock.now() }
}

async function sendSigned(outgoing: Outgoing, { sender, encryption }: AttemptTools, now: Date): Promise<Answer> {
  let headers: Record<string, string>
  try {
    headers = signedHeaders(outgoing, encryption, now)
  } catch {
    return failure('The signing secret can not be decrypted with the ENCRYPTION_KEY of this server')
  }
  return sender.post(outgoing.url, headers, outgoing.body)
}

function signedHeaders(outgoing: Outgoing, encryption: Encryption, now: Date): Record<string, string> {
  const secrets = [encryption.decrypt(outgoing.secret_ciphertext)]
  const { previous_secret_ciphertext: previous, previous_secret_expires_at: expiresAt } = outgoing
  if (previous !== null && expiresAt !== null && now < new Date(expiresAt)) secrets.push(encryption.decrypt(previous))
  const signed = { id: outgoing.event_id, time: Math.floor(now.getTime() / 1000), body: outgoing.body }
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-webhook-id': outgoing.event_id,
    'x-webhook-topic': outgoing.topic,
    'x-webhook-attempt': String(outgoing.attempt_number),
    'x-webhook-signature': webhookSignature(signed, secrets),
    'webhook-id': outgoing.event_id,
    'webhook-timestamp': String(signed.time),
    'webhook-signature': standardWebhooksSignature(signed, secrets),
  }
}
