import { createContext, use, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App, CodeHandler, ScreenCodes } from './app.ts'

export const AppContext = createContext<App | undefined>(undefined)

/** The app; the component is drawn again after each change. */
export function useApp(): App {
  const app = use(AppContext)
  if (app === undefined) throw new Error('No app')
  useSyncExternalStore(app.subscribe, () => app.version)
  return app
}

/** What the screen does with the codes that are scanned while it is shown. One that asks the server `leads`, so that codes are taken in turn. */
export function useCodes(handler: CodeHandler, { leads = false, isList = false } = {}): void {
  const app = use(AppContext)
  const codes = useRef<ScreenCodes>({ handle: handler, leads, isList })
  useLayoutEffect(() => {
    codes.current.handle = handler
    return app?.handleCodes(codes.current)
  })
}

/** The title of the document, for the list of tabs and for screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = t.documentTitle(title)
  }, [title])
}
