import { createContext, type ReactNode, use } from 'react'
import type { Session } from '../../shared/api.ts'
import { queries } from './client.ts'
import type { Scope } from './scopes.ts'
import { createStore } from './store.ts'

/** Undefined on sign-in. */
export const SessionContext = createContext<Session | undefined>(undefined)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The session of everything within the frame. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (session === undefined) throw new Error('There is no session outside of the frame')
  return session
}

/** Whether the session's key has a scope; `admin` stands for all of them. */
export function useScope(scope: Scope | undefined): boolean {
  return !lacksScope(useSession(), scope)
}

export function lacksScope(session: Session | undefined, scope: Scope | undefined): boolean {
  if (session === undefined || scope === undefined) return false
  return !session.scopes.includes(scope) && !session.scopes.includes('admin')
}

/** The address of the service that people use. */
export function usePublicOrigin(): string {
  return useSession().public_url ?? location.origin
}

/** Whether the session ended while the page was in use: the sign-in dialog is over the screen. */
export const signInNeeded = createStore(false)

let waiting: (() => void)[] = []

/** Opens the sign-in dialog. */
export function needSignIn(): void {
  signInNeeded.set(() => true)
  // Another tab may have signed in. From now on the session is read again whenever the page is looked at, too.
  void queries.invalidateQueries({ queryKey: ['session'] })
}

/** Opens the sign-in dialog; resolves once somebody has signed in. */
export function whenSignedIn(): Promise<void> {
  needSignIn()
  return new Promise((resolve) => {
    waiting.push(resolve)
  })
}

/** Goes on after a sign-in over the screen: what waited is sent, what is shown is read again. */
export function signedIn(): void {
  signInNeeded.set(() => false)
  const resolvers = waiting
  waiting = []
  for (const resolve of resolvers) resolve()
  void queries.invalidateQueries()
}
