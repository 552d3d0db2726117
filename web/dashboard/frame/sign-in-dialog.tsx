import { useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../shared/api.ts'
import { t } from '../../shared/texts/texts.ts'
import { BASE_PATH } from '../data/client.ts'
import { signedIn, signInNeeded, useSession } from '../data/session.tsx'
import { useStore } from '../data/store.ts'
import { Dialog } from '../kit/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Sign-in over the screen, when the session ended while it was in use: nothing typed is lost. */
export function SignInDialog() {
  const isOpen = useStore(signInNeeded)
  const { tenant } = useSession()
  const cache = useQueryClient()
  const goOn = (session: Session): void => {
    // Another tenant's data must not mix with what is on screen.
    if (session.tenant.id !== tenant.id) return location.assign(BASE_PATH)
    cache.setQueryData(['session'], session)
    signedIn()
  }
  return (
    <Dialog title={t.signIn.title} isOpen={isOpen}>
      <p>{t.signIn.ended}</p>
      <SignInForm onSession={goOn} />
    </Dialog>
  )
}
