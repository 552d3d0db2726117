import { z } from 'zod'
import type { Encryption } from '../runtime/encryption/encryption.ts'

const LIFE_MS = 60_000

const ticket = z.object({
  session: z.object({ id: z.int(), tenantId: z.int() }),
  mode: z.enum(['live', 'test']),
  resource: z.string(),
  query: z.record(z.string(), z.unknown()),
  expiresAt: z.number(),
})

/** What a link to an export is for. The link is sealed: it has no row in the database, and works on every process. */
export type ExportTicket = Omit<z.infer<typeof ticket>, 'expiresAt'>

/** The token of a link that works for a minute. */
export function sealTicket(sealed: ExportTicket, encryption: Encryption): string {
  return encryption.encrypt(JSON.stringify({ ...sealed, expiresAt: Date.now() + LIFE_MS })).toString('base64url')
}

/** The ticket of a token; undefined when it is too old, or no token of this server. */
export function openTicket(token: string, encryption: Encryption): ExportTicket | undefined {
  const { data } = ticket.safeParse(opened(token, encryption))
  return data === undefined || data.expiresAt <= Date.now() ? undefined : data
}

function opened(token: string, encryption: Encryption): unknown {
  try {
    return JSON.parse(encryption.decrypt(Buffer.from(token, 'base64url')))
  } catch {
    return undefined
  }
}
