import { Outlet } from '@tanstack/react-router'
import { t } from '../../shared/texts/texts.ts'
import { ScreenReadsProvider } from '../data/screen-reads.tsx'
import { usePulse } from '../data/use-pulse.ts'
import { CopyByHand } from '../kit/copy-text.tsx'
import { Banner } from './banner.tsx'
import { StatusBars } from './status-bars.tsx'
import styles from './frame.module.css'
import { MainNavigation } from './main-navigation.tsx'
import { StatusMessages } from './notifications.tsx'
import { RequestsDialog } from '../requests/requests-dialog.tsx'
import { SearchDialog } from '../search/search-dialog.tsx'
import { ShortcutsDialog } from '../shortcuts/shortcuts-dialog.tsx'
import { useShortcuts } from '../shortcuts/use-shortcuts.ts'
import { SecretOnScreen } from './secret-on-screen.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'
import { UnsavedQuestion } from './unsaved-question.tsx'
import { useIsNarrow } from './use-is-narrow.ts'
import { useLostFocus } from './use-lost-focus.ts'

/** What surrounds every screen. */
export function Frame() {
  const isNarrow = useIsNarrow()
  useShortcuts()
  usePulse()
  useLostFocus()
  return (
    <ScreenReadsProvider>
      <a href="#main" className={styles.skip}>
        {t.frame.skip}
      </a>
      <Banner />
      <StatusBars />
      <div className={styles.body}>
        {!isNarrow && <MainNavigation />}
        <main id="main" tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <StatusMessages />
      <CopyByHand />
      <SearchDialog />
      <RequestsDialog />
      <ShortcutsDialog />
      <SecretOnScreen />
      <UnsavedQuestion />
      <SignInDialog />
    </ScreenReadsProvider>
  )
}
