const STORED = 'theme'
const THEMES = ['system', 'light', 'dark'] as const

/** Colours as the system wants them, or always light or dark. */
export type Theme = (typeof THEMES)[number]

/** The theme of this browser. */
export function readTheme(): Theme {
  const stored = readStored()
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Keeps the theme in this browser and shows it. */
export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORED, theme)
  } catch {
    // Storage is off: the theme lasts until the page is closed.
  }
  showTheme(theme)
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}

function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

showTheme(readTheme())
