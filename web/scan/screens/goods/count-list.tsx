import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../../app/app.ts'
import type { Tile } from '../../app/screen.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useWakeLock } from '../../app/use-wake-lock.ts'
import { decide, scanInRecord, submitCount, workOf } from '../../goods/actions.ts'
import {
  choose,
  confirm,
  goTo,
  isUnconfirmed,
  type KnownCount,
  type LevelLine,
  levelsOf,
  nextLevel,
  scan,
  undo,
} from '../../goods/counting.ts'
import { isOpen, nameOf } from '../../goods/record.ts'
import type { Step, Work } from '../../goods/step.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Keypad } from '../../kit/keypad.tsx'
import { quantityOf } from '../../kit/typed-quantity.ts'
import type { RecordRef } from '../../queue/entry.ts'
import { LastScan } from '../pick.tsx'
import styles from '../screens.module.css'
import { CodeField } from '../code-field.tsx'
import { RecordList } from './record-list.tsx'
import { useFresh } from './use-fresh.ts'
import { useTyped } from './use-typed.ts'

/** So many of the levels to come are listed. */
const MAX_TO_COME = 20

/** Counts of stock: the list of them, or one of them. */
export default function CountList({ record }: { tile: Tile; record?: number | undefined }) {
  const { kept } = useApp()
  const work = record === undefined ? undefined : workOf(kept, { kind: 'count', id: record })
  return isCounting(work) ? <Counting work={work} /> : <RecordList kind="count" />
}

type CountingWork = Work<KnownCount>

const isCounting = (work: ReturnType<typeof workOf>): work is CountingWork => work?.known.kind === 'count'

const ofCount =
  (make: (work: CountingWork) => Step | undefined) =>
  (work: NonNullable<ReturnType<typeof workOf>>): Step | undefined =>
    isCounting(work) ? make(work) : undefined

function Counting({ work }: { work: CountingWork }) {
  const app = useApp()
  const { known, draft, entries } = work
  const ref: RecordRef = { kind: 'count', id: known.record.id }
  const name = nameOf(known)
  const levels = levelsOf(known, entries)
  useTitle(name)
  useWakeLock()
  useFresh(ref)
  const handle: CodeHandler = (...scanned) =>
    scanInRecord(app, ref, scanned, {
      scan: (work, texts) => ofCount((of) => scan(of, texts))(work),
      goTo: (work, location) => ofCount((of) => goTo(of, location))(work),
      take: (work, product, quantity) => ofCount((of) => choose(of, product, quantity))(work),
    })
  useCodes(handle, { leads: true })
  const run = (make: (work: CountingWork) => Step | undefined): void => {
    app.feedback.unlock()
    void decide(app, ref, ofCount(make))
  }
  const count = (quantity: number): void => {
    if (app.ui.isOnline) run((of) => confirm(of, quantity))
    else app.stop({ message: goods.count.online }, performance.now())
  }
  const done = levels.filter(({ counted }) => counted !== null).length
  const { item, place: location } = draft
  const [typed, type] = useTyped(ref, item)
  return (
    <div className={styles.screen}>
      <p className={styles.progress}>
        <progress aria-label={goods.lines} value={done} max={levels.length} />
        <span>{goods.lineOf(done, levels.length)}</span>
      </p>
      <h1>{name}</h1>
      {!isOpen(known) && <p className={styles.notice}>{goods.over(name, goods.states[known.record.state])}</p>}
      <div className={styles.sides}>
        <div className={styles.screen}>
          <Where work={work} levels={levels} />
          <LastScan />
        </div>
        {item !== null && <Counted name={item.product_name} typed={typed} onType={type} onConfirm={count} />}
      </div>
      {location !== null && (
        <Levels
          levels={levels.filter(({ location_id }) => location_id === location.id)}
          onChoose={(one) => run((of) => choose(of, one, 0))}
        />
      )}
      <div className={styles.buttons}>
        <Button command="FC-UNDO" onClick={() => run(undo)}>
          {goods.undo}
        </Button>
        <Submit
          recordRef={ref}
          name={name}
          left={levels.length - done}
          isHeld={item !== null && isUnconfirmed({ ...item, typed })}
        />
      </div>
      <CodeField />
      <ToCome levels={levels.filter(({ counted, location_id }) => counted === null && location_id !== location?.id)} />
    </div>
  )
}

function Where({ work: { draft }, levels }: { work: CountingWork; levels: readonly LevelLine[] }) {
  const { place: location, item } = draft
  const next = nextLevel(levels)
  const isDoneHere = levels.every(({ location_id, counted }) => location_id !== location?.id || counted !== null)
  const hint =
    item === null && (location === null || isDoneHere)
      ? next === undefined
        ? goods.count.done
        : goods.count.goTo(next.location_code)
      : item === null
        ? goods.scanProduct
        : goods.count.hint
  return (
    <>
      <p className={styles.place}>{location?.code ?? next?.location_code ?? goods.count.done}</p>
      <p className={styles.expected}>{hint}</p>
    </>
  )
}

interface CountedProps {
  name: string
  typed: string
  onType: (text: string) => void
  onConfirm: (quantity: number) => void
}

/** The quantity of the product that was chosen. */
function Counted({ name, typed, onType, onConfirm }: CountedProps) {
  const quantity = quantityOf(typed)
  return (
    <form
      className={styles.screen}
      onSubmit={(event) => {
        event.preventDefault()
        if (quantity !== undefined) onConfirm(quantity)
      }}
    >
      <p className={styles.product}>{name}</p>
      <Keypad label={goods.count.quantity} value={typed} onChange={onType} />
      <Button kind="primary" isSubmit command="FC-CONFIRM" isDisabled={quantity === undefined}>
        {goods.confirm}
      </Button>
    </form>
  )
}

/** What should lie here. A tap chooses the product: of an empty location, nothing can be scanned. */
function Levels({ levels, onChoose }: { levels: readonly LevelLine[]; onChoose: (level: LevelLine) => void }) {
  return (
    <ul aria-label={goods.count.at} className={styles.list}>
      {levels.map((level) => (
        <li key={level.product_id} className={styles.order}>
          <Button kind="quiet" onClick={() => onChoose(level)}>
            {goods.count.one(level.name)}
          </Button>
          <span>{level.counted === null ? goods.count.open : goods.count.counted(level.counted)}</span>
          {level.expected !== null && <span className={styles.quiet}>{goods.count.expected(level.expected)}</span>}
        </li>
      ))}
    </ul>
  )
}

function ToCome({ levels }: { levels: readonly LevelLine[] }) {
  if (levels.length === 0) return null
  const more = levels.length - MAX_TO_COME
  return (
    <section>
      <h2>{goods.count.still}</h2>
      <ul aria-label={goods.count.still} className={styles.list}>
        {levels.slice(0, MAX_TO_COME).map(({ location_id, location_code, product_id, name }) => (
          <li key={`${location_id} ${product_id}`} className={styles.line}>
            {goods.count.level(location_code, name)}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{goods.moreLines(more)}</p>}
    </section>
  )
}

interface SubmitProps {
  recordRef: RecordRef
  name: string
  /** Levels that were not counted. */
  left: number
  /** Something is not confirmed. */
  isHeld: boolean
}

/** Ends counting; asks first when something was not counted. A scan closes the question. */
function Submit({ recordRef, name, left, isHeld }: SubmitProps) {
  const app = useApp()
  const close = (): void => app.set({ dialog: undefined })
  const submit = (): void => {
    close()
    app.lead(submitCount(app, recordRef, name))
  }
  return (
    <>
      <Button
        kind="primary"
        command="FC-FINISH"
        isDisabled={isHeld}
        onClick={() => (left === 0 ? submit() : app.set({ dialog: 'submit' }))}
      >
        {goods.count.submit}
      </Button>
      {app.ui.dialog === 'submit' && (
        <Dialog title={goods.count.submit} onClose={close}>
          <p>{goods.count.submitAsk(left)}</p>
          <Button kind="primary" command="FC-FINISH" onClick={submit}>
            {goods.count.submit}
          </Button>
          <Button onClick={close}>{t.dialog.cancel}</Button>
        </Dialog>
      )}
    </>
  )
}
