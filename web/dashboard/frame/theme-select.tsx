import { SunMoon } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Select } from '../kit/select.tsx'
import { readTheme, setTheme, type Theme } from '../theme.ts'

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: t.theme.system },
  { value: 'light', label: t.theme.light },
  { value: 'dark', label: t.theme.dark },
]

/** The choice of the theme; an icon where the banner has no room for its value. */
export function ThemeSelect({ isSmall }: { isSmall: boolean }) {
  const [theme, setShown] = useState(readTheme)
  const choose = (chosen: Theme): void => {
    setTheme(chosen)
    setShown(chosen)
  }
  return (
    <Select
      label={t.theme.label}
      isLabelHidden
      options={THEMES}
      value={theme}
      onChange={choose}
      icon={isSmall ? <SunMoon size={18} aria-hidden /> : undefined}
    />
  )
}
