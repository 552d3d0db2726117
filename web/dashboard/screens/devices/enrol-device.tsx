import type { DevicesCreateCodeParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { KeyCombo } from '../../kit/key-combo.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { EnrolmentCode } from './enrolment-code.tsx'

/** Makes a code that enrols a device, and shows it for the device to scan. */
export function EnrolDevice({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [keyId, setKeyId] = useState<number>()
  const input: DevicesCreateCodeParams = { device_name: name, ...(keyId === undefined ? {} : { key_id: keyId }) }
  return (
    <WriteDialog
      title={t.devices.enrol}
      act={t.devices.makeCode}
      kind="primary"
      scope="admin"
      input={input}
      write={(api, params, options) => api.devices.createCode(params, options)}
      secret={(made) => (close) => <EnrolmentCode made={made} onClose={close} />}
      onClose={onClose}
    >
      <Field
        label={t.devices.deviceName}
        name="device_name"
        isRequired
        maxLength={255}
        autoFocus
        value={name}
        onChange={setName}
      />
      <KeyCombo name="key_id" hint={t.devices.keyHint} keyId={keyId} onKey={setKeyId} />
    </WriteDialog>
  )
}
