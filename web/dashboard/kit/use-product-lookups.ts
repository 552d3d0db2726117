import { use, useRef, useState } from 'react'
import { announce } from '../data/messages.ts'
import { untilSignedIn } from '../data/use-read.ts'
import { findProduct, type FoundProduct } from './find-product.ts'
import { readErrorText } from './read-error-text.ts'
import { useDelayed } from './use-delayed.ts'
import { LookupsContext } from './use-readable.ts'

interface ProductLookups {
  /** Looks up a text after those before it. */
  lookUp: (text: string) => void
  /**
   * Drops what comes of the lookups so far: something newer is in the field. A form still waits for them, and is then not sent if that is a text
   * of which nothing is known yet.
   */
  supersede: (isUnknown: boolean) => void
  /** The text that is looked up now, once that takes long enough to tell. */
  slow: string | undefined
}

/**
 * Finds products by texts one after another, however fast a scanner sends them. The form around the field waits for all of them. A failure is
 * told in passing while others wait: the field has room for the last one alone.
 */
export function useProductLookups(onFound: (found: FoundProduct) => void, onFailure: (why: string) => void): ProductLookups {
  const form = use(LookupsContext)
  // The queue is read when a response comes, by functions of an earlier drawing; the state draws its changes.
  const queue = useRef<readonly string[]>([])
  const [waiting, setWaiting] = useState(queue.current)
  const last = useRef(Promise.resolve())
  const generation = useRef(0)
  const isNewestUnknown = useRef(false)
  const slow = useDelayed(waiting[0])
  const setQueue = (texts: readonly string[]): void => {
    queue.current = texts
    setWaiting(texts)
  }
  const find = async (text: string, of: number): Promise<void> => {
    const found = await untilSignedIn(() => findProduct(text)).catch(readErrorText)
    const isSuperseded = of !== generation.current
    form?.end(isSuperseded ? !isNewestUnknown.current : typeof found !== 'string')
    setQueue(queue.current.slice(1))
    if (isSuperseded) return
    if (typeof found !== 'string') onFound(found)
    else if (queue.current.length > 0) announce(found)
    else onFailure(found)
  }
  const lookUp = (text: string): void => {
    form?.begin()
    setQueue([...queue.current, text])
    const of = generation.current
    last.current = last.current.then(() => find(text, of))
  }
  const supersede = (isUnknown: boolean): void => {
    generation.current++
    isNewestUnknown.current = isUnknown
  }
  return { lookUp, supersede, slow: slow === waiting[0] ? slow : undefined }
}
