import type { Webhook } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { Badge } from '../../kit/badge.tsx'

/** Whether events are sent, and if not, why. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { active, disabled_reason, failing_since } = webhook
  if (active && failing_since === null) return <Badge kind="ok">{t.webhooks.states.active}</Badge>
  if (active) return <Badge kind="warn">{t.webhooks.states.failing}</Badge>
  return <Badge kind={disabled_reason === 'paused' ? 'muted' : 'bad'}>{reasonOf(disabled_reason)}</Badge>
}

function reasonOf(reason: Webhook['disabled_reason']): string {
  const { gone, disabledFailing, moved, paused } = t.webhooks.states
  return reason === null ? paused : { gone, failing: disabledFailing, moved, paused }[reason]
}
