import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Confirm } from '../../kit/confirm.tsx'
import { Field } from '../../kit/field.tsx'

/** The dialog that creates a warehouse. */
export function NewWarehouse({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const write = useWrite({
    write: (api, params: { name: string }, options) => api.warehouses.create(params, options),
    done: (created) => t.locations.warehouseCreated(created.name),
    onDone: onClose,
  })
  return (
    <Confirm
      {...write}
      isOpen
      title={t.locations.newWarehouse}
      act={t.locations.createWarehouse}
      kind="primary"
      scope="write:stock"
      calls={[(api) => api.warehouses.create({ name })]}
      onClose={onClose}
      onConfirm={() => void write.send({ name })}
    >
      <Field label={t.products.name} name="name" isRequired maxLength={255} autoFocus value={name} onChange={setName} />
    </Confirm>
  )
}
