import { useLayoutEffect } from 'react'
import { isOwnWalk } from '../app/own-flows.ts'
import { hashOf } from '../app/screen.ts'
import { useApp } from '../app/use-app.ts'
import { keyOfBatch } from '../picking/walk.ts'
import { Badge } from './badge.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { Enrol } from './enrol.tsx'
import { Finish } from './finish.tsx'
import { Frame } from './frame.tsx'
import { LookUp } from './look-up.tsx'
import { Count, Move } from './move-and-count.tsx'
import { OtherTab, type OtherTabProps } from './other-tab.tsx'
import { Pick } from './pick.tsx'
import { ProblemDialog } from './problem-dialog.tsx'
import { Problems } from './problems.tsx'
import { Queue } from './queue.tsx'
import { TileScreen } from './tile.tsx'

/** The screen of the address, unless something must be done before. */
export function Root(whenFrozen: OtherTabProps) {
  const app = useApp()
  if (app.ui.isFrozen) return <OtherTab {...whenFrozen} />
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
  useLayoutEffect(() => {
    // Each screen begins with its heading, wherever the button was that led to it. Newer browsers return a promise, which is no clean-up.
    scrollTo(0, 0)
  }, [hashOf(screen)])
  if (needs === 'enrolment' || code !== undefined) return <Enrol />
  if (needs === 'badge') return <Badge />
  switch (screen.name) {
    case 'pick':
    case 'finish':
      // The flow may be over, or another operator's: what happened to it is in the Problems.
      if (!isOwnWalk(app, screen.flow)) return <Queue />
      return screen.name === 'pick' ? <Pick key={screen.flow} flowId={screen.flow} /> : <Finish walk={screen.flow} />
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
    case 'receive':
    case 'return':
    case 'count-list':
    case 'batch':
    case 'pack':
      return <TileScreen key={screen.name} tile={screen.name} record={screen.record} />
    case 'finish-batch': {
      const key = keyOfBatch(screen.record)
      return isOwnWalk(app, key) ? <Finish walk={key} /> : <Queue />
    }
    default:
      return <Queue />
  }
}
