import { useSession } from '../data/session.tsx'
import { type NavigationEntry, SCREENS } from './screens.ts'

/** The screens that this session's key can read. */
export function useScreens(): readonly NavigationEntry[] {
  const { scopes } = useSession()
  return SCREENS.filter(({ scope }) => scope === undefined || scopes.includes(scope) || scopes.includes('admin'))
}
