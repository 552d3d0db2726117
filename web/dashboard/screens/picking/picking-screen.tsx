import { t } from '../../../shared/texts/texts.ts'
import { Screen } from '../../kit/screen.tsx'
import { Batches } from './batches.tsx'
import { DoneFlows } from './done-flows.tsx'
import { ReadyOrders } from './ready-orders.tsx'
import { RunningFlows } from './running-flows.tsx'
import { Throughput } from './throughput.tsx'

/** What is being picked, what is to be, what was today, and how fast. */
export function PickingScreen() {
  return (
    <Screen title={t.nav.picking}>
      <RunningFlows />
      <Batches />
      <ReadyOrders />
      <DoneFlows />
      <Throughput />
    </Screen>
  )
}
