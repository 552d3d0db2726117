import { Bell } from 'lucide-react'
import { Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { t } from '../../shared/texts/texts.ts'
import { dismissFailure, failures, messages } from '../data/messages.ts'
import { useStore } from '../data/store.ts'
import { Button } from '../kit/button.tsx'
import select from '../kit/select.module.css'
import { Clock } from '../kit/time.tsx'
import styles from './frame.module.css'

/** The messages of this tab, for those who missed one. */
export function Notifications() {
  const { kept } = useStore(messages)
  return (
    <DialogTrigger>
      <Button kind="quiet" aria-label={t.notifications.label}>
        <Bell size={18} aria-hidden />
      </Button>
      <Popover className={select.popover} placement="bottom end">
        <Dialog aria-label={t.notifications.label} className={styles.notifications}>
          {kept.length === 0 ? (
            <p>{t.notifications.none}</p>
          ) : (
            <ul>
              {kept.map(({ id, text, at }) => (
                <li key={id}>
                  <Clock at={at} />
                  {text}
                </li>
              ))}
            </ul>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

/** The messages on screen, told to assistive technology as they come. */
export function StatusMessages() {
  const { shown } = useStore(messages)
  return (
    // The attribute is the library's: what is told while a dialog is open is not hidden with the screen behind it.
    <div className={styles.messages} data-react-aria-top-layer>
      <div role="status">
        {shown.map(({ id, text }) => (
          <p key={id}>
            <span>{text}</span>
          </p>
        ))}
      </div>
      <Failures />
    </div>
  )
}

/** Each has to be told as it comes, and the others not again. */
function Failures() {
  return useStore(failures).map(({ id, text }) => (
    <div key={id} role="alert" className={styles.failure}>
      {text}
      {/* The focus stays where it is, such as in a dialog: the button goes. */}
      <Button preventFocusOnPress onPress={() => dismissFailure(id)}>
        {t.notifications.dismiss}
      </Button>
    </div>
  ))
}
