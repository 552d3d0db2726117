import type { ApiKeysCreateParams } from '@fulfillment/sdk'
import type { Scope } from '../../data/scopes.ts'

/** The presets of the API: they tick the boxes. */
export const PRESETS = {
  read_only: ['read:orders', 'read:products', 'read:stock'],
  erp_sync: ['read:orders', 'write:orders', 'read:products', 'read:stock', 'write:stock'],
  stock_sync: ['read:products', 'read:stock', 'write:stock'],
  full_access: ['admin'],
} as const satisfies Record<NonNullable<ApiKeysCreateParams['preset']>, readonly Scope[]>

export type Preset = keyof typeof PRESETS | 'custom'

/** The preset with exactly these scopes. */
export function presetOf(scopes: readonly Scope[]): Preset {
  const wanted = new Set(scopes)
  const found = Object.entries(PRESETS).find(([, of]) => of.length === wanted.size && of.every((scope) => wanted.has(scope)))
  return (found?.[0] as Preset | undefined) ?? 'custom'
}

export const EXPIRIES = ['none', '30', '90', '365', 'date'] as const
export type Expiry = (typeof EXPIRIES)[number]

const DAY_MS = 86_400_000

/** The day on which a key like this one expires; empty when that is past. */
export function expiryDayOf(expiresAt: string | null | undefined): string {
  return typeof expiresAt === 'string' && Date.parse(expiresAt) > Date.now() ? expiresAt.slice(0, 10) : ''
}

/** The day on which a key expires: days from today, or the date typed. */
export function expiryDate(expiry: Expiry, typed: string): string {
  return expiry === 'date' ? typed : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString().slice(0, 10)
}
