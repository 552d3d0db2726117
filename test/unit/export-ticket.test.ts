import { expect, it } from 'vitest'
import { isOver, openTicket, sealTicket } from '@fulfillment/server/http/pages/export-ticket.ts'
import { createEncryption } from '@fulfillment/server/runtime/encryption/encryption.ts'

const TICKET = { session: { id: 1, tenantId: 2 }, mode: 'live', resource: 'orders', query: { state_id: [1] } } as const
const encryption = createEncryption('of this server')

const NOW_MS = 1_900_000_000_000

it('a ticket is valid for a minute, by the clock of the database', () => {
  const opened = openTicket(sealTicket(TICKET, NOW_MS, encryption), encryption)
  if (opened === undefined) throw new Error('it is no ticket')
  expect(opened).toMatchObject(TICKET)
  expect([isOver(opened, NOW_MS + 59_999), isOver(opened, NOW_MS + 60_000)]).toEqual([false, true])
})

it('a ticket is no text that others can make or change', () => {
  const token = sealTicket(TICKET, NOW_MS, encryption)
  expect(openTicket(sealTicket(TICKET, NOW_MS, createEncryption('of another')), encryption)).toBeUndefined()
  expect(openTicket(encryption.encrypt('{"resource":"orders"}').toString('base64url'), encryption)).toBeUndefined()
  for (const text of ['', 'x', `${token.slice(0, -4)}AAAA`]) expect(openTicket(text, encryption)).toBeUndefined()
})
