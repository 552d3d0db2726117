import { useRouterState } from '@tanstack/react-router'
import { Activity, Search } from 'lucide-react'
import { t } from '../../shared/texts/texts.ts'
import { MODE } from '../data/client.ts'
import { useSession } from '../data/session.tsx'
import { askBefore, documentUnsaved, leaveFor } from '../data/unsaved.ts'
import { Button } from '../kit/button.tsx'
import { RadioGroup } from '../kit/choices.tsx'
import { requestsOpen } from '../requests/requests-dialog.tsx'
import { searchOpen } from '../search/search-dialog.tsx'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import { MenuDialog } from './menu-dialog.tsx'
import { Notifications } from './notifications.tsx'
import { ThemeSelect } from './theme-select.tsx'
import { useIsNarrow } from './use-is-narrow.ts'

/** The banner: whose data these are, which, and what is the same on every screen. */
export function Banner() {
  const isNarrow = useIsNarrow()
  const { tenant } = useSession()
  return (
    <header className={styles.banner}>
      {isNarrow && <MenuDialog />}
      <p className={styles.tenant}>{tenant.name}</p>
      <ModeSwitch />
      <div className={styles.tools}>
        <Button kind="quiet" aria-label={t.search.title} aria-keyshortcuts="Control+K" onPress={() => searchOpen.set(() => true)}>
          <Search size={18} aria-hidden />
          {!isNarrow && <span className={styles.key} data-key={t.search.key} />}
        </Button>
        <Button kind="quiet" aria-label={t.requests.title} onPress={() => requestsOpen.set(() => true)}>
          <Activity size={18} aria-hidden />
        </Button>
        <ThemeSelect isSmall={isNarrow} />
        <Notifications />
        <AccountMenu />
      </div>
    </header>
  )
}

const PATHS = { live: '/dashboard', test: '/dashboard/test' }

/** Live data or the sandbox's. Another mode is another document: nothing of the one can be seen in the other. */
function ModeSwitch() {
  const { modes } = useSession()
  const section = useRouterState({ select: ({ location }) => location.pathname.split('/')[1] ?? '' })
  return (
    <RadioGroup
      label={t.frame.data}
      isLabelHidden
      isSegmented
      options={(['live', 'test'] as const).map((mode) => ({
        value: mode,
        label: t.frame.modes[mode],
        reason: modes.includes(mode) ? undefined : mode === 'test' ? t.session.lacks('admin') : t.frame.noLive,
      }))}
      value={MODE}
      onChange={(mode) => void askBefore(() => leaveFor(`${PATHS[mode]}/${section}`), documentUnsaved)}
    />
  )
}
