import { useLayoutEffect, useRef } from 'react'
import { APIError } from '../../shared/api.ts'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { Countdown } from './countdown.tsx'
import { readErrorText } from './read-error-text.ts'
import styles from './form.module.css'

export interface ErrorNoteProps {
  error: Error | undefined
  /** When it is sent again by itself. */
  retryAt?: number | undefined
  /** Ends the wait. */
  stop?: (() => void) | undefined
}

/** The message of a failed write, with the id of its request; or how long it waits before it is sent again. It comes into view. */
export function ErrorNote({ error, retryAt, stop }: ErrorNoteProps) {
  const note = useRef<HTMLDivElement>(null)
  const isWaiting = retryAt !== undefined
  // On a phone the button that was pressed may be at the lower edge.
  useLayoutEffect(() => {
    note.current?.scrollIntoView({ block: 'nearest' })
  }, [error, isWaiting])
  if (retryAt !== undefined)
    return (
      <div ref={note} role="alert" className={`${styles.note} ${styles.waiting}`}>
        <Countdown until={retryAt} text={t.states.sendsAgain} />
        {stop !== undefined && (
          <Button kind="quiet" onPress={stop}>
            {t.states.stopWaiting}
          </Button>
        )}
      </div>
    )
  if (error === undefined) return null
  return (
    <div ref={note} role="alert" className={styles.note}>
      <p>{error instanceof APIError ? readErrorText(error) : error.message}</p>
      {error instanceof APIError && error.requestId !== undefined && (
        <p className={styles.request}>{t.states.request(error.requestId)}</p>
      )}
    </div>
  )
}
