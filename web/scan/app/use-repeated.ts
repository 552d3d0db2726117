import { useEffect, useRef } from 'react'
import { useApp } from './use-app.ts'

const READ_AGAIN_MS = 15_000
/** Where one call fails and others get through, the connection comes back all the time. */
const LEAST_MS = 1_000

/**
 * Reads while a screen is shown: at once, every 15 s, when the connection has come back, and at once when something of `about` changes. The reading gets
 * whether it is out of date: the screen has been left, or something has changed.
 */
export function useRepeated(read: (isOutOfDate: () => boolean) => Promise<void>, about: readonly unknown[]): void {
  const { isOnline } = useApp().ui
  const wasOnline = useRef(isOnline)
  const readAt = useRef(-Infinity)
  const readNow = useRef((): void => undefined)
  useEffect(() => {
    let isLeft = false
    readNow.current = () => {
      readAt.current = performance.now()
      void read(() => isLeft)
    }
    readNow.current()
    const timer = setInterval(() => readNow.current(), READ_AGAIN_MS)
    return () => {
      isLeft = true
      clearInterval(timer)
    }
  }, about)
  useEffect(() => {
    const isBack = isOnline && !wasOnline.current
    wasOnline.current = isOnline
    if (!isBack) return undefined
    const timer = setTimeout(() => readNow.current(), readAt.current + LEAST_MS - performance.now())
    return () => clearTimeout(timer)
  }, [isOnline])
}
