import type { Attack } from './attack.ts'
import { backlogDeletion } from './attacks/backlog-deletion.ts'
import { bodies } from './attacks/bodies.ts'
import { fanOut } from './attacks/fan-out.ts'
import { feedScans } from './attacks/feed-scans.ts'
import { keys } from './attacks/keys.ts'
import { largeResponses } from './attacks/large-responses.ts'
import { lockWaits } from './attacks/lock-waits.ts'
import { locks } from './attacks/locks.ts'
import { mistakes } from './attacks/mistakes.ts'
import { names } from './attacks/names.ts'
import { nothing } from './attacks/nothing.ts'
import { receivers } from './attacks/receivers.ts'
import { searches } from './attacks/searches.ts'
import { unreadResponses } from './attacks/unread-responses.ts'

const CONNECTIONS = [feedScans, lockWaits, searches, bodies, backlogDeletion]
const EVENT_LOOP = [mistakes, largeResponses]

export const ATTACKS: readonly Attack[] = [
  nothing,
  fanOut,
  names,
  locks,
  receivers,
  ...CONNECTIONS,
  ...EVENT_LOOP,
  unreadResponses,
  keys,
]

/** Groups of attacks on the same resource, by name. */
const GROUPS: Record<string, readonly Attack[]> = { connections: CONNECTIONS, 'event-loop': EVENT_LOOP }

/** The attacks and groups with these names; all attacks if no name is given. */
export function attacksNamed(names: readonly string[]): readonly Attack[] {
  if (names.length === 0) return ATTACKS
  const chosen = names.flatMap((name) => GROUPS[name] ?? ATTACKS.find((attack) => attack.name === name) ?? unknown(name))
  return [...new Set(chosen)]
}

function unknown(name: string): never {
  const known = [...ATTACKS.map((attack) => attack.name), ...Object.keys(GROUPS)]
  throw new Error(`No attack ${name}. There are: ${known.join(', ')}`)
}
