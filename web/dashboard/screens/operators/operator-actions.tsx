import type { Operator } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { RowActions } from '../../kit/table.tsx'
import type { IssuedBadge } from './badge-card.tsx'

export interface OperatorActionsProps {
  operator: Operator
  onEdit: (operator: Operator) => void
  onBadge: (issued: IssuedBadge) => void
}

/** What can be done with an operator. */
export function OperatorActions({ operator, onEdit, onBadge }: OperatorActionsProps) {
  const { id, name, is_active } = operator
  const issue = useWrite({
    write: (api, of: number, options) => api.operators.issueBadge(of, options),
    onDone: ({ badge }) => onBadge({ operator, badge }),
  })
  const turn = useWrite({
    write: (api, wanted: boolean, options) => api.operators.update(id, { is_active: wanted }, options),
    done: (_, wanted) => (wanted ? t.operators.activated(name) : t.operators.deactivated(name)),
  })
  const failed = issue.error === undefined && issue.retryAt === undefined ? turn : issue
  return (
    <RowActions>
      <Button kind="quiet" scope="admin" aria-label={t.operators.editOne(name)} onPress={() => onEdit(operator)}>
        {t.operators.edit}
      </Button>
      <Button
        kind="quiet"
        scope="admin"
        aria-label={t.operators.newBadgeFor(name)}
        isSaving={issue.isSaving}
        onPress={() => void issue.send(id)}
      >
        {t.operators.newBadge}
      </Button>
      <Button
        kind="quiet"
        scope="admin"
        aria-label={is_active ? t.operators.deactivateOne(name) : t.operators.activateOne(name)}
        isSaving={turn.isSaving}
        onPress={() => void turn.send(!is_active)}
      >
        {is_active ? t.operators.deactivate : t.operators.activate}
      </Button>
      <ErrorNote error={failed.error} retryAt={failed.retryAt} stop={failed.stop} />
    </RowActions>
  )
}
