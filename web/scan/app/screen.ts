/** What the app shows, as it is in the address. */
export type Screen =
  | { name: 'queue' | 'problems' | 'look-up' | 'move' | 'count' | 'diagnostics' }
  | { name: 'pick' | 'finish'; flow: number }

const PLAIN = ['queue', 'problems', 'look-up', 'move', 'count', 'diagnostics'] as const

/** The screen of a fragment such as `#/pick/17`. An unknown one is the queue. */
export function screenOf(hash: string): Screen {
  const [, name, flow] = /^#\/([a-z-]+)(?:\/(\d+))?$/.exec(hash) ?? []
  if ((name === 'pick' || name === 'finish') && flow !== undefined) return { name, flow: Number(flow) }
  return { name: PLAIN.find((plain) => plain === name) ?? 'queue' }
}

export const hashOf = (screen: Screen): string => `#/${screen.name}${'flow' in screen ? `/${screen.flow}` : ''}`
