import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Session } from '../../../shared/api.ts'
import { t } from '../../../shared/texts/texts.ts'
import { BASE_PATH, tenantShown } from '../../data/client.ts'
import { StatusBars } from '../../frame/status-bars.tsx'
import { CodeForm, SignInForm } from '../../frame/sign-in-form.tsx'
import styles from '../../frame/frame.module.css'
import { forgetCode, signInCode, takeCode } from '../../sign-in-code.ts'

/** Sign-in: by a key, or by the code of a one-time link. */
export function SignInScreen() {
  const { next } = useSearch({ from: '/sign-in' })
  const [code, setCode] = useState(signInCode)
  const enter = useEnter(next)
  useEffect(() => {
    document.title = t.signIn.documentTitle
    const renew = (): void => {
      takeCode()
      setCode(signInCode())
    }
    addEventListener('hashchange', renew)
    return () => removeEventListener('hashchange', renew)
  }, [])
  const useKey = (): void => {
    forgetCode()
    setCode(undefined)
  }
  return (
    <>
      <StatusBars />
      <main className={styles.alone}>
        <div className={styles.card}>
          <h1>{t.signIn.title}</h1>
          {code === undefined ? (
            <SignInForm onSession={enter} />
          ) : (
            <CodeForm key={code} code={code} onSession={enter} onOther={useKey} />
          )}
        </div>
      </main>
    </>
  )
}

function useEnter(next: string | undefined): (session: Session) => void {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { history } = useRouter()
  return (session) => {
    forgetCode()
    // What an earlier session read is not this one's.
    cache.clear()
    tenantShown.set(() => session.tenant.id)
    cache.setQueryData(['session'], session)
    if (next === undefined) void navigate({ to: '/', replace: true })
    else history.replace(BASE_PATH + next)
  }
}
