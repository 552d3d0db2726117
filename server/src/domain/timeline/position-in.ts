import type { Position } from './cursor.ts'
import { type Kind, rankOf } from './kinds.ts'

/** Where a long list is read from: after this time and id. */
export type ListPosition = [time: string, id: string]

/** The ids of entries of long lists, in their parts: the microseconds of the time, where it has them, and the id in the list. */
const ID_OF = {
  call: { pattern: /^call_()([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, first: '00000000-0000-0000-0000-000000000000' },
  movement: { pattern: /^movement_(\d{6})_(\d{1,16})$/, first: '0' },
  reservation: { pattern: /^reservation_(\d{6})_(evt_[0-9a-f]{24})$/, first: '' },
  event: { pattern: /^event_(\d{6})_(evt_[0-9a-f]{24})$/, first: '' },
} satisfies Partial<Record<Kind, { pattern: RegExp; first: string }>>

/** The position in a long list, whose order is that of its times and ids, that an entry of the timeline has. */
export function positionIn(kind: keyof typeof ID_OF, after: Position): ListPosition {
  const { pattern, first } = ID_OF[kind]
  if (after.rank > rankOf(kind)) return [new Date(after.at.getTime() + 1).toISOString(), first]
  const [, microseconds, id] = (after.rank === rankOf(kind) && pattern.exec(after.id)) || []
  if (id === undefined) return [after.at.toISOString(), first]
  return [withMicroseconds(after.at.toISOString(), microseconds as string), id]
}

/** A time with these microseconds of its second. */
const withMicroseconds = (at: string, microseconds: string): string =>
  microseconds === '' ? at : at.replace(/\.\d+Z$/, `.${microseconds}Z`)
