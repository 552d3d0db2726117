import { APIError } from '@fulfillment/sdk'
import { useState } from 'react'
import { leadToSignIn } from './calls.ts'
import { refusalText } from './refusal-text.ts'
import { checkSession } from './session.ts'
import { useApp } from './use-app.ts'
import { useRepeated } from './use-repeated.ts'

/**
 * Reads what a screen lists: at once, now and then while the screen is shown, and when the connection or something of `about` changes. Returns
 * why the server refuses it. That there is no connection, the screen says already.
 */
export function useReading(read: () => Promise<void>, about: readonly unknown[] = []): string | undefined {
  const app = useApp()
  const [refusal, setRefusal] = useState<string>()
  useRepeated(
    async function readNow(isOutOfDate): Promise<void> {
      const { session } = app.kept
      try {
        await read()
        setRefusal(undefined)
      } catch (error) {
        // Of a reading that began before somebody signed in, a refusal says nothing any more.
        if (isOutOfDate() || app.kept.session !== session) return
        if (!(error instanceof APIError)) return setRefusal(undefined)
        if (app.offlineBadge === undefined) {
          if (!leadToSignIn(app, error)) setRefusal(refusalText(error))
          return
        }
        // The server does not know yet who has signed in without it.
        await checkSession(app)
        // If it refuses the badge, nobody is signed in any more, and another screen is shown.
        if (app.offlineBadge === undefined && !isOutOfDate()) await readNow(isOutOfDate)
      }
    },
    [app, ...about],
  )
  return refusal
}
