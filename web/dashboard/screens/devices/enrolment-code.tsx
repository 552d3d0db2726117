import type { DevicesCreateCodeResult } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { Breakable } from '../../kit/breakable.tsx'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import form from '../../kit/form.module.css'
import { TimeUntil } from '../../kit/relative-time.tsx'
import { Symbols } from '../../kit/symbols.tsx'

const HERE = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** The enrolment address as symbols and text, and its code for devices that cannot scan. */
export function EnrolmentCode({
  made: { code, url, expires_at },
  onClose,
}: {
  made: DevicesCreateCodeResult
  onClose: () => void
}) {
  return (
    <Dialog title={t.devices.enrol} isOpen onClose={onClose} isWide>
      <p>{t.devices.codeText}</p>
      {HERE.test(new URL(url).hostname) && <p className={`${form.note} ${form.waiting}`}>{t.devices.onlyHere}</p>}
      <Symbols text={url} />
      <Field label={t.devices.code} value={code} isReadOnly size="wide" autoFocus />
      <p>
        <code>
          <Breakable text={url} />
        </code>
      </p>
      <p>
        {t.devices.expires} <TimeUntil at={expires_at} />
      </p>
      <div className={form.buttons}>
        <Button onPress={onClose}>{t.dialog.close}</Button>
      </div>
    </Dialog>
  )
}
