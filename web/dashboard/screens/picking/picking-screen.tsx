import { t } from '../../../shared/texts/texts.ts'
import { Screen } from '../../kit/screen.tsx'
import { DoneFlows } from './done-flows.tsx'
import { ReadyOrders } from './ready-orders.tsx'
import { RunningFlows } from './running-flows.tsx'

/** What is being picked, what is to be, and what was today. */
export function PickingScreen() {
  return (
    <Screen title={t.nav.picking}>
      <RunningFlows />
      <ReadyOrders />
      <DoneFlows />
    </Screen>
  )
}
