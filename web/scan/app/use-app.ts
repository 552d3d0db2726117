import { createContext, use, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App, CodeHandler, ScreenCodes } from './app.ts'
import { Turns } from './turns.ts'

export const AppContext = createContext<App | undefined>(undefined)

/** The app; the component is drawn again after each change. */
export function useApp(): App {
  const app = use(AppContext)
  if (app === undefined) throw new Error('No app')
  useSyncExternalStore(app.subscribe, () => app.version)
  return app
}

/** What the screen does with the codes that are scanned while it is shown. */
export function useCodes(handler: CodeHandler, { leads = false, isList = false } = {}): void {
  const app = use(AppContext)
  const codes = useRef<ScreenCodes>({ handle: handler, leads, isList })
  useLayoutEffect(() => {
    codes.current.handle = handler
    return app?.handleCodes(codes.current)
  })
}

/**
 * The same, for a screen that asks the server: each code after the one before it, however slow the network is. After a problem, codes that waited
 * are heard, and nothing goes on. Returns the handler.
 */
export function useCodesInTurn(handler: CodeHandler): CodeHandler {
  const inTurn = useTurns()
  const handleInTurn: CodeHandler = (...scan) => inTurn(() => handler(...scan))
  // Commands, too, are for what the codes before them lead to.
  useCodes(handleInTurn, { leads: true })
  return handleInTurn
}

/** The turns of `useCodesInTurn`, for a screen that has something to note when the code is scanned. */
export function useTurns(): (take: () => boolean | Promise<boolean>) => Promise<boolean> {
  const app = use(AppContext)
  const [turns] = useState(() => new Turns())
  return (take) => turns.take(() => app?.ui.problem !== undefined || take())
}

/** The title of the document, for the list of tabs and for screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = t.documentTitle(title)
  }, [title])
}
