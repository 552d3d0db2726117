import { Menu } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from '../kit/button.tsx'
import styles from './frame.module.css'
import { MainNavigation } from './main-navigation.tsx'

/** The navigation of a narrow screen. */
export function MenuDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <Button kind="quiet" aria-label={t.frame.menu} onPress={() => dialog.current?.showModal()}>
        <Menu size={18} aria-hidden />
      </Button>
      <dialog ref={dialog} aria-label={t.frame.menu} className={styles.menu}>
        <div className={styles.menuHead}>
          <Button onPress={() => dialog.current?.close()}>{t.dialog.close}</Button>
        </div>
        <MainNavigation onNavigate={() => dialog.current?.close()} />
      </dialog>
    </>
  )
}
