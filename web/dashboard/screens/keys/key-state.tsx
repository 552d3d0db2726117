import type { ApiKey } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { serverNow } from '../../data/client.ts'
import { Badge } from '../../kit/badge.tsx'

export type KeyStateName = 'active' | 'expired' | 'revoked'

export function keyState({ revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>): KeyStateName {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= serverNow() ? 'expired' : 'active'
}

const KINDS = { active: 'ok', expired: 'warn', revoked: 'muted' } as const

export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const state = keyState(apiKey)
  return <Badge kind={KINDS[state]}>{t.keys.states[state]}</Badge>
}
