import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router'

// So the router tells files that are gone from other errors.
const GONE = 'Failed to fetch dynamically imported module'

/** Imports the file of a screen, which exports it by its name. */
export type LoadScreen<Name extends string> = () => Promise<Record<Name, () => React.ReactNode>>

/**
 * A screen that is loaded when it is opened. After an update of the server its files may be gone, its style sheet too: the router then loads
 * the page anew at the same address, once. Not while it only prepares for a press: that would lose what was typed.
 */
export function lazyScreen<Name extends string>(load: LoadScreen<Name>, name: Name): AsyncRouteComponent<object> {
  const asGone = (cause: Error): never => {
    // The same for all of its files, and another for each build.
    throw new Error(`${GONE}: ${name} for ${import.meta.url}`, { cause })
  }
  return lazyRouteComponent(() => load().catch(asGone), name)
}
