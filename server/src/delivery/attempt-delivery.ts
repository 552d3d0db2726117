import type { Clock } from '../runtime/clock.ts'
import type { Attempt } from '../database/schema.ts'
import { activeTracing, type TraceHeaders } from '../runtime/tracing/index.ts'
import { failure, type SentRequest, type Sender } from './sender.ts'
import { standardWebhooksSignature, webhookSignature, type SigningKeys } from './signature.ts'
import type { Target } from './target.ts'

/** The request to send. */
export interface Message {
  tenantId: number
  eventId: string
  topic: string
  body: string
  attemptNumber: number
  trigger: Attempt['trigger']
}

/** An attempt as logged, with what the response implies for the next one. */
export interface AttemptResult {
  attempt: Attempt
  acknowledged: boolean
  /** Whether the response is complete. */
  isComplete: boolean
  retryAfter: string | undefined
  endedAt: Date
}

const USER_AGENT = 'Fulfillment-Webhooks/1.0'

/** Signs an event and sends it once. Never throws. */
export async function attemptDelivery(message: Message, target: Target, sender: Sender, clock: Clock): Promise<AttemptResult> {
  const { tenantId, eventId, topic, attemptNumber, trigger } = message
  const startedAt = clock.now()
  const started = performance.now()
  const send = (traceHeaders?: TraceHeaders): Promise<SentRequest> => sendSigned(message, target, sender, startedAt, traceHeaders)
  const traced = { tenantId, eventId, topic, attempt: attemptNumber, url: target.url }
  const { status, body, retryAfter, error } = await (activeTracing()?.delivery(traced, send) ?? send())
  const durationMs = Math.round(performance.now() - started)
  const acknowledged = error === null && status !== null && status >= 200 && status < 300
  const attempt: Attempt = {
    number: attemptNumber,
    trigger,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    response_status: status,
    response_body: body,
    error: error ?? (acknowledged ? null : `The receiver responded with ${status}`),
  }
  return { attempt, acknowledged, isComplete: error === null, retryAfter, endedAt: clock.now() }
}

async function sendSigned(
  message: Message,
  { url, secrets }: Target,
  sender: Sender,
  now: Date,
  traceHeaders: TraceHeaders | undefined,
): Promise<SentRequest> {
  if (secrets === undefined) return failure('The signing secret can not be decrypted with the ENCRYPTION_KEY of this server')
  const body = Buffer.from(message.body)
  return sender.post(url, { ...signedHeaders(message, body, secrets, now), ...traceHeaders }, body, message.tenantId)
}

function signedHeaders(
  { eventId: id, topic, attemptNumber }: Message,
  body: Buffer,
  secrets: readonly SigningKeys[],
  now: Date,
): Record<string, string> {
  const signed = { id, time: Math.floor(now.getTime() / 1000), body }
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-webhook-id': id,
    'x-webhook-topic': topic,
    'x-webhook-attempt': String(attemptNumber),
    'x-webhook-signature': webhookSignature(signed, secrets),
    'webhook-id': id,
    'webhook-timestamp': String(signed.time),
    'webhook-signature': standardWebhooksSignature(signed, secrets),
  }
}
