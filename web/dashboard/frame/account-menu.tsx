import { useNavigate } from '@tanstack/react-router'
import { CircleUser } from 'lucide-react'
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { isNoSession } from '../../shared/api.ts'
import { t } from '../../shared/texts/texts.ts'
import { BASE_PATH, endSession } from '../data/client.ts'
import { announce } from '../data/messages.ts'
import { useScope, useSession } from '../data/session.tsx'
import { askBefore, documentUnsaved, leaveFor } from '../data/unsaved.ts'
import { Button } from '../kit/button.tsx'
import { readErrorText } from '../kit/read-error-text.ts'
import select from '../kit/select.module.css'
import { shortcutsOpen } from '../shortcuts/use-shortcuts.ts'
import styles from './frame.module.css'

/** Which key this session belongs to, the list of keys for those who have turned `?` off, and the way out. */
export function AccountMenu() {
  const { key } = useSession()
  const canReadSessions = useScope('admin')
  const navigate = useNavigate()
  return (
    <MenuTrigger>
      <Button kind="quiet" aria-label={t.account.label}>
        <CircleUser size={18} aria-hidden />
      </Button>
      <Popover className={select.popover} placement="bottom end">
        <p className={styles.account}>{t.account.signedInWith(key.name, key.prefix)}</p>
        <Menu className={select.list} aria-label={t.account.label}>
          {canReadSessions && (
            <MenuItem className={select.item} onAction={() => void navigate({ to: '/sessions' })}>
              {t.nav.sessions}
            </MenuItem>
          )}
          <MenuItem className={select.item} onAction={() => shortcutsOpen.set(() => true)}>
            {t.account.shortcuts}
          </MenuItem>
          <MenuItem className={select.item} onAction={() => void askBefore(() => void signOut(), documentUnsaved)}>
            {t.account.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

// A new document keeps nothing of what was read.
async function signOut(): Promise<void> {
  try {
    await endSession()
  } catch (error) {
    // Otherwise the session has ended already.
    if (!isNoSession(error)) return announce(t.account.notSignedOut(readErrorText(error as Error)))
  }
  leaveFor(`${BASE_PATH}/sign-in`)
}
