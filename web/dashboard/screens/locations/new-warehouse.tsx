import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** The dialog that creates a warehouse. */
export function NewWarehouse({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  return (
    <WriteDialog
      title={t.locations.newWarehouse}
      act={t.locations.createWarehouse}
      kind="primary"
      scope="write:stock"
      input={{ name }}
      write={(api, input, options) => api.warehouses.create(input, options)}
      done={(created) => t.locations.warehouseCreated(created.name)}
      onClose={onClose}
    >
      <Field label={t.products.name} name="name" isRequired maxLength={255} autoFocus value={name} onChange={setName} />
    </WriteDialog>
  )
}
