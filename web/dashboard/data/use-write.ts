import type { FulfillmentClient, WriteOptions } from '@fulfillment/sdk'
import { useEffect, useRef, useState } from 'react'
import { APIError, ConnectionError, isNoSession, waitOf } from '../../shared/api.ts'
import { isStillRunning, isUnanswered, isUnreadable } from '../../shared/is-unanswered.ts'
import { randomId } from '../../shared/random-id.ts'
import { t } from '../../shared/texts/texts.ts'
import { client, queries } from './client.ts'
import { announce, announceFailure } from './messages.ts'
import { pause } from './pause.ts'
import { type Secret, secretsUnderWay, showSecret } from './secrets.ts'
import { whenSignedIn } from './session.tsx'
import { textOfLeft } from './text-of-left.ts'
import { endSavingQuestion, type IsSaved } from './unsaved.ts'

/** A call that writes. */
export type Write<Input, T> = (client: FulfillmentClient, input: Input, options: WriteOptions) => PromiseLike<T>

export interface WriteSettings<Input, T> {
  write: Write<Input, T>
  /** What the message says. */
  done?: ((result: T, input: Input) => string) | undefined
  /** Only while the component is there: what it would close or leave is another by then. */
  onDone?: ((result: T, input: Input) => void) | undefined
  /**
   * How to show what cannot be read again. It is shown wherever the person is by then; `isHere` says whether that is still the place that made it.
   */
  secret?: ((result: T, input: Input, isHere: () => boolean) => Secret) | undefined
  /** Beginnings of the keys of reads about what is deleted: to read it again would fail. */
  gone?: readonly (readonly string[])[] | undefined
  /** The dialog that it is sent from, if any. */
  title?: string | undefined
}

export interface Writing<Input> {
  send: (input: Input) => Promise<void>
  isSaving: boolean
  error: Error | undefined
  /** When it is sent again by itself, after 429 or 503. */
  retryAt: number | undefined
  forget: () => void
  /** Whether this input is what was saved last. */
  isSaved: IsSaved
  /** Ends the wait: nothing is sent again by itself. */
  stop: () => void
}

/**
 * Sends a write with one `Idempotency-Key` for all its tries: after a sign-in over the screen, after the wait that the server asked for,
 * and when the same input is saved again after no response came. So it is carried out once. A write goes on when its screen or dialog is left: a
 * message says how it ended.
 */
export function useWrite<Input, T>(settings: WriteSettings<Input, T>): Writing<Input> {
  const { write, done, onDone, secret, gone = [], title } = settings
  const [state, setState] = useState<Omit<Writing<Input>, 'send' | 'forget' | 'stop' | 'isSaved'>>(IDLE)
  const tried = useRef<{ input: string; key: string } | undefined>(undefined)
  const saved = useRef<string>(undefined)
  const busy = useRef(false)
  const stopping = useRef<AbortController>(undefined)
  const isHere = useIsHere()

  const keyOf = (input: Input): string => {
    const text = JSON.stringify(input)
    if (tried.current?.input !== text) tried.current = { input: text, key: randomId() }
    return tried.current.key
  }

  const send = async (input: Input): Promise<void> => {
    if (busy.current) return
    busy.current = true
    const controller = new AbortController()
    stopping.current = controller
    setState({ ...IDLE, isSaving: true })
    if (secret !== undefined) secretsUnderWay.set((before) => before + 1)
    const place = [screenTitle(), title].filter((part) => part !== undefined).join(', ')
    try {
      const options = { idempotencyKey: keyOf(input) }
      const result = await patiently(
        () => Promise.resolve(write(client, input, options)),
        (retryAt) => setState({ ...IDLE, isSaving: true, retryAt }),
        controller.signal,
      )
      tried.current = undefined
      saved.current = JSON.stringify(input)
      setState(IDLE)
      endSavingQuestion()
      // Without `onDone`, nothing leaves the screen of what is deleted: read again, it says that there is no such thing.
      const unread = isHere() ? gone : []
      void queries.invalidateQueries({ predicate: ({ queryKey }) => !unread.some((start) => beginsWith(queryKey, start)) })
      if (done !== undefined) announce(done(result, input))
      if (secret !== undefined) showSecret(secret(result, input, isHere))
      if (isHere()) onDone?.(result, input)
    } catch (error) {
      // A refusal ends the key. As long as it is not known what became of the request, the next try must repeat it.
      if (error instanceof APIError && !isUnanswered(error)) tried.current = undefined
      setState({ ...IDLE, error: error as Error })
      endSavingQuestion()
      if (!isHere()) announceFailure(textOfLeft(error as Error, place))
    } finally {
      busy.current = false
      if (secret !== undefined) secretsUnderWay.set((before) => before - 1)
    }
  }

  return {
    ...state,
    send,
    forget: () => setState(IDLE),
    stop: () => stopping.current?.abort(),
    isSaved: (input) => saved.current !== undefined && saved.current === JSON.stringify(input),
  }
}

/** Whether the component is still there, for what it began. */
function useIsHere(): () => boolean {
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return () => isHere.current
}

/** Where the person is, in words. */
const screenTitle = (): string | undefined => document.querySelector('h1')?.textContent

const IDLE = { isSaving: false, error: undefined, retryAt: undefined }

function beginsWith(key: readonly unknown[], start: readonly string[]): boolean {
  return start.every((part, index) => key[index] === part)
}

async function patiently<T>(
  attempt: () => Promise<T>,
  onWait: (until: number | undefined) => void,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    if (!navigator.onLine) throw new ConnectionError(t.states.offlineWrite)
    try {
      return await attempt()
    } catch (error) {
      if (isNoSession(error)) await whenSignedIn()
      else await waitFor(error, onWait, signal)
    }
  }
}

/** Waits as long as the server asked for. Throws the error when waiting does not mend it, or when the wait was stopped. */
async function waitFor(error: unknown, onWait: (until: number | undefined) => void, signal: AbortSignal): Promise<void> {
  const isNoAnswer = error instanceof ConnectionError || (error instanceof APIError && isUnreadable(error))
  if (isNoAnswer) throw new ConnectionError(t.states.noAnswer, { cause: error })
  if (isStillRunning(error)) throw new ConnectionError(t.states.stillRunning, { cause: error })
  const waitMs = waitOf(error)
  if (waitMs === undefined) throw error
  onWait(Date.now() + waitMs)
  await pause(waitMs, signal)
  if (signal.aborted) throw error
  onWait(undefined)
}
