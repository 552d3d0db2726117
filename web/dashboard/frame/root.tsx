import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isNoSession, type Session } from '../../shared/api.ts'
import { t } from '../../shared/texts/texts.ts'
import { BASE_PATH, MODE, readSession, tenantShown } from '../data/client.ts'
import { SessionProvider, signedIn, signInNeeded } from '../data/session.tsx'
import { leaveFor } from '../data/unsaved.ts'
import { Region } from '../kit/region.tsx'
import { Frame } from './frame.tsx'
import styles from './frame.module.css'

/** Everything but sign-in needs a session. Without one the way leads to sign-in, and back to the same address after it. */
export function Root() {
  const query = useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 })
  const navigate = useNavigate()
  const { state } = useRouter()
  const { data, error } = query
  const hasEnded = isNoSession(error)
  useEffect(() => {
    if (!hasEnded) return
    if (data !== undefined) return signInNeeded.set(() => true)
    const next = state.location.href
    void navigate({ to: '/sign-in', search: next === '/' ? {} : { next }, replace: true })
  }, [hasEnded, data === undefined])
  useEffect(() => {
    if (data === undefined) return
    // Somebody signed in, over the screen or in another tab. Another tenant's data must not mix with what is on screen.
    if (data.tenant.id !== tenantShown.get()) leaveFor(BASE_PATH)
    else if (signInNeeded.get()) signedIn()
  }, [data, query.dataUpdatedAt])
  if (data === undefined && hasEnded) return null
  if (data === undefined)
    return (
      <main className={styles.alone}>
        <div className={styles.card}>
          <Region query={query}>{() => null}</Region>
        </div>
      </main>
    )
  return <SessionProvider session={data}>{data.modes.includes(MODE) ? <Frame /> : <OtherMode session={data} />}</SessionProvider>
}

/** A test key has no live data: its live addresses lead to the test's. The other way round there is nothing to see. */
function OtherMode({ session }: { session: Session }) {
  const isTestOnly = MODE === 'live' && session.modes.includes('test')
  useEffect(() => {
    if (isTestOnly) location.replace(`/dashboard/test${location.href.slice(`${location.origin}/dashboard`.length)}`)
  }, [isTestOnly])
  return (
    <main className={styles.alone}>
      <div className={styles.card}>
        {isTestOnly ? null : (
          <>
            <h1>{t.frame.noTest}</h1>
            <p>{t.session.lacks('admin')}</p>
            <a href={BASE_PATH.replace('/test', '')}>{t.frame.toLive}</a>
          </>
        )}
      </div>
    </main>
  )
}
