import { createContext, use, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App, CodeHandler } from './app.ts'

export const AppContext = createContext<App | undefined>(undefined)

/** The app; the component is drawn again after each change. */
export function useApp(): App {
  const app = use(AppContext)
  if (app === undefined) throw new Error('No app')
  useSyncExternalStore(app.subscribe, () => app.version)
  return app
}

/** What the screen does with the codes that are scanned while it is shown. */
export function useCodes(handler: CodeHandler): void {
  const app = use(AppContext)
  useLayoutEffect(() => app?.handleCodes(handler))
}

/** The title of the document, for the list of tabs and for screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = t.documentTitle(title)
  }, [title])
}
