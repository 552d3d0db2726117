import { batchOf, type WalkKey } from '../picking/walk.ts'

/** What the app shows, as it is in the address. */
export type Screen =
  | { name: 'queue' | 'problems' | 'look-up' | 'move' | 'count' | 'diagnostics' }
  | { name: 'pick' | 'finish'; flow: number }
  /** A tile: the list of its records, or one of them. */
  | { name: Tile; record?: number }
  | { name: 'finish-batch'; record: number }

/** Tiles of the Queue screen. */
export type Tile = (typeof TILES)[number]

export const TILES = ['receive', 'return', 'count-list', 'batch', 'pack'] as const
const PLAIN = ['queue', 'problems', 'look-up', 'move', 'count', 'diagnostics'] as const

/** The screen of a fragment such as `#/pick/17`. An unknown one is the queue. */
export function screenOf(hash: string): Screen {
  const [, name, id] = /^#\/([a-z-]+)(?:\/(\d+))?$/.exec(hash) ?? []
  if ((name === 'pick' || name === 'finish') && id !== undefined) return { name, flow: Number(id) }
  if (name === 'finish-batch' && id !== undefined) return { name, record: Number(id) }
  const tile = TILES.find((tile) => tile === name)
  if (tile !== undefined) return id === undefined ? { name: tile } : { name: tile, record: Number(id) }
  return { name: PLAIN.find((plain) => plain === name) ?? 'queue' }
}

export function hashOf(screen: Screen): string {
  const id = 'flow' in screen ? screen.flow : 'record' in screen ? screen.record : undefined
  return `#/${screen.name}${id === undefined ? '' : `/${id}`}`
}

/** Where an order or a batch is picked. */
export function pickScreen(key: WalkKey): Screen {
  const batch = batchOf(key)
  return batch === undefined ? { name: 'pick', flow: key } : { name: 'batch', record: batch }
}

/** Where the picking of an order or a batch ends. */
export function finishScreen(key: WalkKey): Screen {
  const batch = batchOf(key)
  return batch === undefined ? { name: 'finish', flow: key } : { name: 'finish-batch', record: batch }
}
