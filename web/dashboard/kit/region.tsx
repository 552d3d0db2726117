import { FulfillmentError } from '@fulfillment/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { APIError, ConnectionError, waitOf } from '../../shared/api.ts'
import { isMissing, isUnanswered } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'
import { useIsCutOff } from '../data/use-is-cut-off.ts'
import { Button } from './button.tsx'
import { Countdown } from './countdown.tsx'
import { readErrorText } from './read-error-text.ts'
import styles from './region.module.css'

const SKELETON_AFTER_MS = 150

export interface RegionProps<T> {
  query: UseQueryResult<T>
  /** What is said when the record is not there. */
  missing?: string
  /** Height of the skeleton in rows. */
  rows?: number
  children: (data: T) => ReactNode
}

/**
 * A part of a screen that is read from the server: skeleton, error with a way on, or content. What is there stays while newer data comes,
 * and beside an error that will pass: a form in it keeps what was typed.
 */
export function Region<T>({ query, missing, rows = 6, children }: RegionProps<T>) {
  const { data, error } = query
  const hasContent = data !== undefined && (error === null || isPassing(error))
  // The bar of the frame tells that there is no connection. It is not shown when only this read gets no response.
  const isTold = useIsCutOff() && hasContent && error instanceof ConnectionError
  return (
    <>
      {error !== null && !isTold && <ReadError error={error} missing={missing} retry={() => void query.refetch()} />}
      {hasContent ? children(data) : error === null && <Skeleton rows={rows} />}
    </>
  )
}

/** Whether the record is probably still there and still to be seen. */
function isPassing(error: Error): boolean {
  return error instanceof ConnectionError || (error instanceof APIError && isUnanswered(error))
}

function ReadError({ error, missing, retry }: { error: Error; missing: string | undefined; retry: () => void }) {
  const waitMs = waitOf(error)
  const [retryAt, setRetryAt] = useState<number>()
  useEffect(() => {
    if (waitMs === undefined) return undefined
    setRetryAt(Date.now() + waitMs)
    const timer = setTimeout(retry, waitMs)
    return () => clearTimeout(timer)
  }, [error])
  return (
    <div role="alert" className={styles.error}>
      <p>{textOf(error, missing)}</p>
      {error instanceof APIError && error.requestId !== undefined && (
        <p className={styles.request}>{t.states.request(error.requestId)}</p>
      )}
      {waitMs !== undefined && retryAt !== undefined && <Countdown until={retryAt} text={t.states.triesAgain} />}
      <Button onPress={retry}>{t.states.tryAgain}</Button>
    </div>
  )
}

function textOf(error: Error, missing: string | undefined): string {
  return missing !== undefined && isOfNoRecord(error) ? missing : readErrorText(error)
}

/**
 * Whether there is no such record. The SDK does not send an id that is not a number: it throws a plain `FulfillmentError`. Errors of calls that
 * were sent are of its subclasses, such as a response that is too large.
 */
function isOfNoRecord(error: Error): boolean {
  return error instanceof APIError ? isMissing(error) || error.code === 'invalid_id' : error.constructor === FulfillmentError
}

function Skeleton({ rows }: { rows: number }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" className={styles.skeleton} data-shown={isShown}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.bar} />
      ))}
    </div>
  )
}

/** A sentence and the first action, where a list is empty. */
export function Empty({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{text}</p>
      {children}
    </div>
  )
}
