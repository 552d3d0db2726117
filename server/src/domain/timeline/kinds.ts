import type { Caller, Scope } from '../../procedures/context.ts'

/** The kinds of entries, in the order in which those of one millisecond come. */
export const KINDS = ['call', 'created', 'state', 'flow', 'movement', 'reservation', 'shipment', 'return', 'event'] as const

export type Kind = (typeof KINDS)[number]

/** The scopes that kinds need besides that of the endpoint. */
const NEEDED: Partial<Record<Kind, Scope>> = { call: 'admin', movement: 'read:stock', event: 'read:webhooks' }

/** The kinds that a key may not see. */
export function omittedFor({ scopes }: Pick<Caller, 'scopes'>): Kind[] {
  if (scopes.includes('admin')) return []
  return KINDS.filter((kind) => NEEDED[kind] !== undefined && !scopes.includes(NEEDED[kind]))
}

/** The place of a kind among those of one millisecond. */
export const rankOf = (kind: Kind): number => KINDS.indexOf(kind)
