import { z } from 'zod'
import type { Encryption } from '../../runtime/encryption/encryption.ts'

const LIFE_MS = 60_000

const ticket = z.object({
  session: z.object({ id: z.int(), tenantId: z.int() }),
  mode: z.enum(['live', 'test']),
  resource: z.string(),
  query: z.record(z.string(), z.unknown()),
  expiresAt: z.number(),
})

type OpenedTicket = z.infer<typeof ticket>

/** What a link to an export is for. The link is sealed: it has no row in the database, and works on every process. */
export type ExportTicket = Omit<OpenedTicket, 'expiresAt'>

/** The token of a link that works for a minute from `nowMs` on: a time of the database, because each process has a clock of its own. */
export function sealTicket(sealed: ExportTicket, nowMs: number, encryption: Encryption): string {
  return encryption.encrypt(JSON.stringify({ ...sealed, expiresAt: nowMs + LIFE_MS })).toString('base64url')
}

/** The ticket of a token; undefined for what is no token of this server. Whether it is over: `isOver`. */
export function openTicket(token: string, encryption: Encryption): OpenedTicket | undefined {
  return ticket.safeParse(opened(token, encryption)).data
}

/** Whether a link has expired at `nowMs`, a time of the database. */
export const isOver = ({ expiresAt }: OpenedTicket, nowMs: number): boolean => expiresAt <= nowMs

function opened(token: string, encryption: Encryption): unknown {
  try {
    return JSON.parse(encryption.decrypt(Buffer.from(token, 'base64url')))
  } catch {
    return undefined
  }
}
