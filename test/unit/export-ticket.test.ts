import { afterEach, expect, it, vi } from 'vitest'
import { openTicket, sealTicket } from '@fulfillment/server/http/export-ticket.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'

const TICKET = { session: { id: 1, tenantId: 2 }, mode: 'live', resource: 'orders', query: { state_id: [1] } } as const
const encryption = createEncryption('of this server')

afterEach(() => vi.useRealTimers())

it('a ticket is opened for a minute', () => {
  vi.useFakeTimers()
  const token = sealTicket(TICKET, encryption)
  vi.advanceTimersByTime(59_999)
  expect(openTicket(token, encryption)).toMatchObject(TICKET)
  vi.advanceTimersByTime(1)
  expect(openTicket(token, encryption)).toBeUndefined()
})

it('a ticket is no text that others can make or change', () => {
  const token = sealTicket(TICKET, encryption)
  expect(openTicket(sealTicket(TICKET, createEncryption('of another')), encryption)).toBeUndefined()
  expect(openTicket(encryption.encrypt('{"resource":"orders"}').toString('base64url'), encryption)).toBeUndefined()
  for (const text of ['', 'x', `${token.slice(0, -4)}AAAA`]) expect(openTicket(text, encryption)).toBeUndefined()
})
