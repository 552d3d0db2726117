import type { Operator } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { RowActions } from '../../kit/table.tsx'
import { BadgeCard } from './badge-card.tsx'

export interface OperatorActionsProps {
  operator: Operator
  onEdit: (operator: Operator) => void
}

/** What can be done with an operator. */
export function OperatorActions({ operator, onEdit }: OperatorActionsProps) {
  const { id, name, is_active } = operator
  const issue = useWrite({
    write: (api, of: number, options) => api.operators.issueBadge(of, options),
    secret: (issued) => (close) => <BadgeCard operator={operator} badge={issued.badge} onClose={close} />,
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
