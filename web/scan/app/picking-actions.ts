import { randomId } from '../../shared/random-id.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { Decision, Picking, PickingProblem, Said } from '../picking/decision.ts'
import { type Decide, scan } from '../picking/decide.ts'
import { type Draft, emptyDraft } from '../picking/draft.ts'
import type { Stop } from '../picking/stops.ts'
import { isCompleting, viewOf, type WalkView } from '../picking/view.ts'
import { batchOf, type Walk, type WalkKey, walkOf } from '../picking/walk.ts'
import { type Kept, weightPatternsOf } from '../store/store.ts'
import type { App, CodeHandler, ProblemNote } from './app.ts'
import { finishScreen } from './screen.ts'

/** The draft of a walk. */
export const draftOf = ({ drafts }: Kept, key: WalkKey): Draft => drafts.get(key) ?? emptyDraft(key)

/** A walk with the flows of it that this device holds, without those whose end waits in the queue; undefined if there is none. */
export function keptWalk({ flows, entries }: Kept, key: WalkKey): Walk | undefined {
  const held = [...flows.values()].map(({ flow }) => flow).filter(({ id }) => !isCompleting(id, entries))
  const walk = walkOf(key, held)
  return walk.flows.length === 0 ? undefined : walk
}

/** A walk of this device as the operator sees it. */
export function walkView(kept: Kept, key: WalkKey): WalkView | undefined {
  const walk = keptWalk(kept, key)
  return walk === undefined ? undefined : viewOf(walk, draftOf(kept, key), kept.entries)
}

/** What the operator calls a walk: the order, or the batch. */
export const nameOfWalk = ({ key, flows }: Walk): string => {
  const batch = batchOf(key)
  return batch === undefined ? (flows[0]?.order_tenant_id ?? '') : t.pick.batch(batch)
}

/** What the device knows of a product of a walk. */
export function productOf({ flows }: Kept, walk: Walk, productId: number) {
  const row = walk.flows.map(({ id }) => flows.get(id)).find((one) => one?.products[productId] !== undefined)
  return row?.products[productId]
}

/** Decides on what the operator did in a walk, stores it, and tells the outcome. Returns false if the decision knows nothing of it. */
export async function decide(
  app: App,
  key: WalkKey,
  make: Decide,
  { at = performance.now(), scanned }: { at?: number; scanned?: string | undefined } = {},
): Promise<boolean> {
  let decision: Decision | undefined
  const isKept = await app.keep((kept) => {
    const picking = pickingOf(kept, key)
    decision = picking === undefined ? undefined : make(picking)
    if (decision === undefined || decision.outcome === 'problem') return undefined
    return { events: decision.events, drafts: new Map([[key, decision.draft]]) }
  }, at)
  if (!isKept) return true
  if (decision === undefined) return false
  if (decision.outcome === 'problem') app.stop({ ...noteOf(decision.problem), scanned }, at)
  else {
    if (decision.outcome === 'order') app.go(finishScreen(key))
    app.tell(decision.outcome, textOf(decision.said, key), at, scanned)
  }
  return true
}

/** Handles the scan of a location, a product or a slot's order in a walk. */
export const scanInWalk = (
  app: App,
  key: WalkKey,
  seenStop: () => Stop | undefined,
  ...[texts, at, codes]: Parameters<CodeHandler>
): Promise<boolean> => {
  const seen = seenStop()
  return decide(app, key, (picking) => scan(picking, texts, { codes, seen }), { at, scanned: texts[0] })
}

function pickingOf(kept: Kept, key: WalkKey): Picking | undefined {
  const walk = keptWalk(kept, key)
  const operator = kept.session?.operator
  if (walk === undefined || operator === null || operator === undefined) return undefined
  const { isLocationFirst, isSlotScanned } = kept.settings
  return {
    walk,
    draft: withSlots(draftOf(kept, key), walk),
    entries: kept.entries,
    operator,
    isLocationFirst,
    isSlotScanned,
    reading: {
      weightPatterns: weightPatternsOf(kept),
      year: new Date().getUTCFullYear(),
      isWeighable: (productId) => productOf(kept, walk, productId)?.weighable,
    },
    // Made at the first scan of a pick, so that whatever is repeated later is the same pick.
    newId: randomId,
    now: new Date().toISOString(),
  }
}

/** A slot may have goods from now on: it stays in the draft, should its order be cancelled. */
function withSlots(draft: Draft, { key, flows }: Walk): Draft {
  if (batchOf(key) === undefined) return draft
  const slots = flows.map(({ slot, order_tenant_id }) => [slot ?? 0, order_tenant_id])
  return { ...draft, slots: { ...draft.slots, ...Object.fromEntries(slots) } }
}

function textOf(said: Said, key: WalkKey): string {
  switch (said.is) {
    case 'located':
      return t.said.located(said.code)
    case 'taken':
      return t.said.taken(said.taken, said.of)
    case 'undone':
      return t.said.undone(said.name, said.quantity)
    case 'put':
      return t.said.put(said.slot, said.quantity, said.name)
    case 'order done':
      return batchOf(key) === undefined ? t.said['order done'] : t.said['batch done']
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
    case 'changed':
      return { message: t.problem.changed }
    case 'product first':
      return { message: t.problem.productFirst, expected: problem.name }
    case 'slot first':
      return { message: t.problem.slotFirst(problem.slot), expected: problem.order }
    case 'other slot':
      return { message: t.problem.otherSlot(problem.slot), expected: problem.order }
    default:
      return { message: t.problem.tooMuch(problem.name, problem.left) }
  }
}
