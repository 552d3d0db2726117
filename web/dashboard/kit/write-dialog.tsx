import type { Call } from '../../shared/curl.ts'
import { useWrite, type WriteSettings } from '../data/use-write.ts'
import { Confirm, type ConfirmProps } from './confirm.tsx'

type Shown = Pick<ConfirmProps, 'title' | 'act' | 'scope' | 'kind' | 'note' | 'typedName' | 'codes' | 'children' | 'onClose'>

export interface WriteDialogProps<Input, T> extends Shown, Omit<WriteSettings<Input, T>, 'title'> {
  /** What is sent. */
  input: Input
  /** What `Copy as curl` copies, where the write sends several requests. */
  calls?: readonly Call[]
}

/** A dialog that asks, or takes what is missing, and then writes. It closes after the write, unless `onDone` does something else. */
export function WriteDialog<Input, T>(props: WriteDialogProps<Input, T>) {
  const { input, write, done, onDone, secret, gone, calls, ...shown } = props
  const writing = useWrite({ write, done, onDone: onDone ?? shown.onClose, secret, gone, title: shown.title })
  return (
    <Confirm
      {...shown}
      {...writing}
      typed={input}
      calls={calls ?? [(api) => write(api, input, {})]}
      onConfirm={() => void writing.send(input)}
    />
  )
}
