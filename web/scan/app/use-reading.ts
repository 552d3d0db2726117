import { APIError } from '@fulfillment/sdk'
import { useEffect, useState } from 'react'
import { leadToSignIn } from './calls.ts'
import { refusalText } from './refusal-text.ts'
import { checkSession } from './session.ts'
import { useApp } from './use-app.ts'

const READ_AGAIN_MS = 15_000

/**
 * Reads what a screen lists: at once, now and then while the screen is shown, and when the connection or something of `about` changes. Returns
 * why the server refuses it. That there is no connection, the screen says already.
 */
export function useReading(read: () => Promise<void>, about: readonly unknown[] = []): string | undefined {
  const app = useApp()
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    let isLeft = false
    const readNow = async (): Promise<void> => {
      const { session } = app.kept
      try {
        await read()
        setRefusal(undefined)
      } catch (error) {
        // Of a reading that began before somebody signed in, a refusal says nothing any more.
        if (isLeft || app.kept.session !== session) return
        if (!(error instanceof APIError)) setRefusal(undefined)
        else if (app.offlineBadge !== undefined) await showBadge()
        else if (!leadToSignIn(app, error)) setRefusal(refusalText(error))
      }
    }
    // The server does not know yet who has signed in without it.
    const showBadge = async (): Promise<void> => {
      await checkSession(app)
      // If it refuses the badge, nobody is signed in any more, and another screen is shown.
      if (app.offlineBadge === undefined && !isLeft) await readNow()
    }
    void readNow()
    const timer = setInterval(() => void readNow(), READ_AGAIN_MS)
    return () => {
      isLeft = true
      clearInterval(timer)
    }
  }, [app, app.ui.isOnline, ...about])
  return refusal
}
