// The attacker process, with its receivers. Its parent sends orders to prepare, to attack, and to end the attack.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { attacksNamed } from './attacks.ts'
import type { Attack, Battlefield } from './attack.ts'
import { Flood } from './flood.ts'

export type AttackOrder =
  | { order: 'prepare'; attack: string; port: number; field: Omit<Battlefield, 'responding' | 'silent'> }
  | { order: 'attack'; port: number }
  | { order: 'end' }

/** Sent after each order. The report after the end of the attack has the number of responses by status. */
export interface AttackReport {
  responses?: Record<string, number>
  failure?: string
}

/** A real attacker has a machine of its own. With this priority this process takes little processor time from the server. */
const ATTACKER_NICENESS = 10

setPriority(ATTACKER_NICENESS)
const receivers = { responding: await receiver(true), silent: await receiver(false) }
let attack: Attack
let field: Battlefield
let prepared: unknown
let flood: Flood
let running: Promise<void>

process.on('message', (order: AttackOrder) => {
  carryOut(order).then(
    (report) => process.send?.(report),
    (error: Error) => process.send?.({ failure: `${order.order}: ${error.stack}` } satisfies AttackReport),
  )
})

async function carryOut(order: AttackOrder): Promise<AttackReport> {
  if (order.order === 'prepare') await prepare(order)
  else if (order.order === 'attack') begin(order.port)
  else {
    await flood.end()
    await running
    return { responses: flood.responses }
  }
  return {}
}

async function prepare(order: AttackOrder & { order: 'prepare' }): Promise<void> {
  attack = attacksNamed([order.attack])[0] as Attack
  field = { ...order.field, ...receivers }
  const preparing = new Flood(order.port, field.key)
  prepared = await attack.prepare?.(preparing, field)
  await preparing.end()
}

function begin(port: number): void {
  flood = new Flood(port, field.key)
  running = attack.run(flood, field, prepared)
  running.catch(() => {})
}

async function receiver(responds: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    if (responds) response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
