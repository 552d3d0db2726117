import { ScanBarcode, TriangleAlert, VolumeX, Wifi, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { signOut } from '../app/session.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Menu } from '../kit/menu.tsx'
import { countToSend, problemsOf } from '../queue/reduce.ts'
import { clockNotice } from '../data/server-clock.ts'
import { Camera } from './camera.tsx'
import styles from './screens.module.css'

/** What every screen has: the connection, the problems, the menu and notices. */
export function Frame({ children }: { children: ReactNode }) {
  const app = useApp()
  const { session } = app.kept
  const clock = session === null ? undefined : clockNotice()
  return (
    <div className={styles.frame}>
      <header className={styles.head}>
        <Connection />
        {app.feedback.isSilent && (
          <span className={styles.chip}>
            <VolumeX aria-hidden size={20} />
            {t.sound.off}
          </span>
        )}
        <ProblemsButton />
        <span className={styles.tools}>
          <CameraButton />
          {app.ui.needs === undefined && <AppMenu />}
        </span>
        {app.ui.isWaiting && <span role="progressbar" aria-label={t.connection.waiting} className={styles.waiting} />}
      </header>
      {app.ui.isCameraOn && <Camera />}
      {session?.mode === 'test' && <p className={styles.notice}>{t.testData}</p>}
      {!isSecureContext && <p className={styles.notice}>{t.notEncrypted}</p>}
      {clock !== undefined && <p className={styles.notice}>{clock}</p>}
      <main className={styles.main}>{children}</main>
    </div>
  )
}

function Connection() {
  const app = useApp()
  const waiting = countToSend(app.kept.entries)
  const { connection } = t
  const text = app.ui.isOnline
    ? waiting === 0
      ? connection.online
      : connection.toSend(waiting)
    : waiting === 0
      ? connection.offline
      : connection.offlineToSend(waiting)
  const Icon = app.ui.isOnline ? Wifi : WifiOff
  return (
    <span className={styles.connection}>
      <Icon aria-hidden size={20} />
      <span role="status" aria-label={connection.label}>
        {text}
      </span>
    </span>
  )
}

function ProblemsButton() {
  const app = useApp()
  const { needs, code } = app.ui
  const { length } = problemsOf(app.kept.entries)
  if (length === 0) return null
  return (
    // While the device must be enrolled or a badge scanned, it says how many there are.
    <Button kind="alarm" isDisabled={needs !== undefined || code !== undefined} onClick={() => app.go({ name: 'problems' })}>
      <TriangleAlert aria-hidden size={20} />
      {t.problems.button(length)}
    </Button>
  )
}

/** Over plain HTTP browsers have no camera; the notice says so. */
function CameraButton() {
  const app = useApp()
  if (!('mediaDevices' in navigator)) return null
  const { isCameraOn } = app.ui
  const toggle = (): void => {
    app.feedback.unlock()
    app.set({ isCameraOn: !isCameraOn })
  }
  return (
    <Button kind="quiet" aria-pressed={isCameraOn} onClick={toggle}>
      <ScanBarcode aria-hidden />
      <span className="visually-hidden">{t.camera.button}</span>
    </Button>
  )
}

function AppMenu() {
  const app = useApp()
  const to = (name: 'queue' | 'look-up' | 'move' | 'count' | 'diagnostics') => () => app.go({ name })
  const { menu } = t
  const items = [
    { name: menu.queue, onSelect: to('queue') },
    { name: menu.lookUp, onSelect: to('look-up') },
    { name: menu.move, onSelect: to('move') },
    { name: menu.count, onSelect: to('count') },
    { name: menu.diagnostics, onSelect: to('diagnostics') },
    { name: menu.changeOperator, onSelect: () => void signOut(app) },
  ]
  return <Menu label={menu.label} items={items} />
}
