import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { OPERATOR_CODES, useOperatorInput } from './operator-input.tsx'

/** The dialog that adds an operator. */
export function AddOperator({ onClose }: { onClose: () => void }) {
  const [typed, fields] = useOperatorInput()
  return (
    <WriteDialog
      title={t.operators.add}
      act={t.operators.add}
      kind="primary"
      scope="admin"
      codes={OPERATOR_CODES}
      input={typed}
      write={(api, input, options) => api.operators.create(input, options)}
      done={({ name }) => t.operators.added(name)}
      onClose={onClose}
    >
      {fields}
    </WriteDialog>
  )
}
