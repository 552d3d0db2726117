import { useEffect, useRef } from 'react'
import { secretsUnderWay } from './secrets.ts'
import { createStore } from './store.ts'

/** What leaving would lose: what was typed, or the place where the outcome of a write under way is shown. */
export type Unsaved = 'typed' | 'saving' | undefined

/** What would be lost, by leaving the screen or by a change of its filters alone. */
type Check = (isOtherScreen: boolean) => Unsaved

const checks = new Set<Check>()

/** What would be lost now. Of what was typed there is nothing left after it, so it comes first. */
export function unsavedNow(isOtherScreen = true): Unsaved {
  const found = [...checks].map((check) => check(isOtherScreen))
  return found.find((one) => one === 'typed') ?? found.find((one) => one !== undefined)
}

/** Asks before what is checked is lost, as long as the component is there. */
export function useUnsaved(check: Check): void {
  useEffect(() => {
    checks.add(check)
    return () => void checks.delete(check)
  })
}

interface UnsavedInputOptions {
  /** Given where it is not what the form was opened with. */
  first?: unknown
  isSaved?: IsSaved | undefined
  isSaving: boolean
}

/** Whether what is typed is another than at first and not saved yet, or is being saved; as long as it is, leaving the screen asks. */
export function useUnsavedInput(typed: unknown, { first, isSaved, isSaving }: UnsavedInputOptions): () => Unsaved {
  const opened = useRef(JSON.stringify(typed))
  const unsaved = (): Unsaved => {
    if (isSaved?.(typed) === true) return undefined
    if (isSaving) return 'saving'
    const before = first === undefined ? opened.current : JSON.stringify(first)
    return JSON.stringify(typed) === before ? undefined : 'typed'
  }
  useUnsaved((isOtherScreen) => (isOtherScreen ? unsaved() : undefined))
  return unsaved
}

/** Whether this is what was saved last. */
export type IsSaved = (input: unknown) => boolean

interface Question {
  about: NonNullable<Unsaved>
  answer: (isLeft: boolean) => void
}

/** The question that is open. */
export const question = createStore<Question | undefined>(undefined)

/** Asks whether this may be lost. */
export function mayLeave(about: Question['about']): Promise<boolean> {
  question.get()?.answer(false)
  return new Promise((resolve) => {
    question.set(() => ({
      about,
      answer: (isLeft) => {
        question.set(() => undefined)
        resolve(isLeft)
      },
    }))
  })
}

/** A write has ended: whether to leave meanwhile is no question any more, and its outcome is where the person still is. */
export function endSavingQuestion(): void {
  const open = question.get()
  if (open?.about === 'saving') open.answer(false)
}

/** Goes on at once, or asks first if something would be lost. */
export async function askBefore(goOn: () => void, unsaved: () => Unsaved = unsavedNow): Promise<void> {
  const about = unsaved()
  if (about === undefined || (await mayLeave(about))) goOn()
}

let isLeaving = false

/** Loads another document, whatever was typed: who typed it was asked, or it must not be kept. */
export function leaveFor(address: string): void {
  isLeaving = true
  location.assign(address)
}

/** What would be lost with the document: also a secret that is being made, which nobody would see. */
export const documentUnsaved = (): Unsaved => unsavedNow() ?? (secretsUnderWay.get() > 0 ? 'saving' : undefined)

/** Whether the browser has to ask before the document is left. */
export const isDocumentUnsaved = (): boolean => !isLeaving && documentUnsaved() !== undefined
