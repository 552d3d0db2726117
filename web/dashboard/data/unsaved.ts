import { useEffect, useRef } from 'react'
import { createStore } from './store.ts'

/** Whether something would be lost, by leaving the screen or by a change of its filters alone. */
type Check = (isOtherScreen: boolean) => boolean

const checks = new Set<Check>()

/** Whether something that was typed is not saved. */
export const hasUnsaved = (isOtherScreen = true): boolean => [...checks].some((check) => check(isOtherScreen))

/** Asks before what is checked is lost, as long as the component is there. */
export function useUnsaved(check: Check): void {
  useEffect(() => {
    checks.add(check)
    return () => void checks.delete(check)
  })
}

/**
 * Whether what is typed is another than at first and not saved yet; as long as it is, leaving the screen asks. `first` is given where it is not
 * what the form was opened with.
 */
export function useUnsavedInput(
  typed: unknown,
  { first, isSaved }: { first?: unknown; isSaved?: IsSaved | undefined },
): () => boolean {
  const opened = useRef(JSON.stringify(typed))
  const isUnsaved = (): boolean => {
    const before = first === undefined ? opened.current : JSON.stringify(first)
    return JSON.stringify(typed) !== before && isSaved?.(typed) !== true
  }
  useUnsaved((isOtherScreen) => isOtherScreen && isUnsaved())
  return isUnsaved
}

/** Whether this is what was saved last. */
export type IsSaved = (input: unknown) => boolean

/** The question that is open, and what its answer does. */
export const question = createStore<((isDiscarded: boolean) => void) | undefined>(undefined)

/** Asks whether what was typed may be lost. */
export function mayDiscard(): Promise<boolean> {
  question.get()?.(false)
  return new Promise((resolve) => {
    question.set(() => (isDiscarded) => {
      question.set(() => undefined)
      resolve(isDiscarded)
    })
  })
}

/** Goes on at once, or asks first if something would be lost. */
export async function askBefore(goOn: () => void, isUnsaved: () => boolean = hasUnsaved): Promise<void> {
  if (!isUnsaved() || (await mayDiscard())) goOn()
}

let isLeaving = false

/** Loads another document, whatever was typed: who typed it was asked, or it must not be kept. */
export function leaveFor(address: string): void {
  isLeaving = true
  location.assign(address)
}

/** Whether the browser has to ask before the document is left. */
export const isDocumentUnsaved = (): boolean => !isLeaving && hasUnsaved()
