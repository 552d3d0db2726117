import { t } from '../../shared/texts/scan-texts.ts'
import { type Draft, emptyDraft } from '../picking/draft.ts'
import { type Decision, type Picking, type PickingProblem, type Said, scan } from '../picking/decide.ts'
import { type FlowView, viewOf } from '../picking/view.ts'
import type { Kept } from '../store/store.ts'
import type { App, ProblemNote } from './app.ts'

const PICK_ID_BYTES = 16

/** 16 random bytes in hexadecimal. Made at the first scan of a pick, so that whatever is repeated later is the same pick. */
export const newPickId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PICK_ID_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The draft of a flow. */
export const draftOf = ({ drafts }: Kept, flowId: number): Draft => drafts.get(flowId) ?? emptyDraft(flowId)

/** A flow of this device as the operator sees it. */
export function flowView(kept: Kept, flowId: number): FlowView | undefined {
  const row = kept.flows.get(flowId)
  return row === undefined ? undefined : viewOf(row.flow, draftOf(kept, flowId), kept.entries)
}

/** Decides on what the operator did in a flow, stores it, and tells the outcome. Returns false if the decision knows nothing of it. */
export async function decide(
  app: App,
  flowId: number,
  make: (picking: Picking) => Decision | undefined,
  { at = performance.now(), scanned }: { at?: number; scanned?: string | undefined } = {},
): Promise<boolean> {
  let decision: Decision | undefined
  const isKept = await app.keep((kept) => {
    const picking = pickingOf(kept, flowId)
    decision = picking === undefined ? undefined : make(picking)
    if (decision === undefined || decision.outcome === 'problem') return undefined
    return { events: decision.events, drafts: new Map([[flowId, decision.draft]]) }
  }, at)
  if (!isKept) return true
  if (decision === undefined) return false
  if (decision.outcome === 'problem') app.stop({ ...noteOf(decision.problem), scanned }, at)
  else {
    if (decision.outcome === 'order') app.go({ name: 'finish', flow: flowId })
    app.tell(decision.outcome, textOf(decision.said), at, scanned)
  }
  return true
}

/** Handles the scan of a location or a product in a flow. */
export const scanInFlow = (app: App, flowId: number, texts: readonly string[], at: number): Promise<boolean> =>
  decide(app, flowId, (picking) => scan(picking, texts), { at, scanned: texts[0] })

function pickingOf(kept: Kept, flowId: number): Picking | undefined {
  const row = kept.flows.get(flowId)
  const operator = kept.session?.operator
  if (row === undefined || operator === null || operator === undefined) return undefined
  return {
    flow: row.flow,
    draft: draftOf(kept, flowId),
    entries: kept.entries,
    operator,
    isLocationFirst: kept.settings.isLocationFirst,
    newId: newPickId,
    now: new Date().toISOString(),
  }
}

function textOf(said: Said): string {
  switch (said.is) {
    case 'located':
      return t.said.located(said.code)
    case 'taken':
      return t.said.taken(said.taken, said.of)
    case 'undone':
      return t.said.undone(said.name, said.quantity)
    case 'order done':
    case 'skipped':
      return t.said[said.is]
    default:
      return t.said[said.is](said.name)
  }
}

function noteOf(problem: PickingProblem): ProblemNote {
  switch (problem.is) {
    case 'location first':
      return { message: t.problem.locationFirst, expected: problem.expected }
    case 'elsewhere':
      return { message: t.problem.elsewhere(problem.name, problem.codes) }
    case 'all taken':
      return { message: t.problem.allTaken(problem.name) }
    case 'nothing here':
      return { message: t.problem.nothingHere(problem.code), expected: problem.expected }
    case 'nothing to undo':
      return { message: t.problem.nothingToUndo }
    default:
      return { message: t.problem.tooMuch(problem.name, problem.left) }
  }
}
