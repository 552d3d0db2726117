import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../shared/texts/texts.ts'
import { signInNeeded } from '../data/session.tsx'
import { useStore } from '../data/store.ts'
import { Dialog } from '../kit/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Sign-in over the screen, when the session ended while it was in use: nothing typed is lost. `Root` goes on with the session. */
export function SignInDialog() {
  const isOpen = useStore(signInNeeded)
  const cache = useQueryClient()
  return (
    <Dialog title={t.signIn.title} isOpen={isOpen}>
      <p>{t.signIn.ended}</p>
      <SignInForm onSession={(session) => void cache.setQueryData(['session'], session)} />
    </Dialog>
  )
}
