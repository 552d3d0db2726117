import { ownFlows } from '../app/own-flows.ts'
import { useApp } from '../app/use-app.ts'
import { Badge } from './badge.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { Enrol } from './enrol.tsx'
import { Finish } from './finish.tsx'
import { Frame } from './frame.tsx'
import { LookUp } from './look-up.tsx'
import { Count, Move } from './move-and-count.tsx'
import { OtherTab } from './other-tab.tsx'
import { Pick } from './pick.tsx'
import { ProblemDialog } from './problem-dialog.tsx'
import { Problems } from './problems.tsx'
import { Queue } from './queue.tsx'

/** The screen of the address, unless something must be done before. */
export function Root({ onUse }: { onUse: () => void }) {
  const app = useApp()
  if (app.ui.isFrozen) return <OtherTab onUse={onUse} />
  return (
    <Frame>
      <CurrentScreen />
      {app.ui.problem !== undefined && <ProblemDialog note={app.ui.problem} />}
    </Frame>
  )
}

function CurrentScreen() {
  const app = useApp()
  const { screen, needs, code } = app.ui
  if (needs === 'enrolment' || code !== undefined) return <Enrol />
  if (needs === 'badge') return <Badge />
  switch (screen.name) {
    case 'pick':
    case 'finish':
      // The flow may be over, or another operator's: what happened to it is in the Problems.
      if (!ownFlows(app).some(({ id }) => id === screen.flow)) return <Queue />
      return screen.name === 'pick' ? <Pick key={screen.flow} flowId={screen.flow} /> : <Finish flowId={screen.flow} />
    case 'problems':
      return <Problems />
    case 'look-up':
      return <LookUp />
    case 'move':
      return <Move key="move" />
    case 'count':
      return <Count key="count" />
    case 'diagnostics':
      return <Diagnostics />
    default:
      return <Queue />
  }
}
