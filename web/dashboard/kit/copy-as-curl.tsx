import { Terminal } from 'lucide-react'
import { use } from 'react'
import { type Call, curlOf, requestOf } from '../../shared/curl.ts'
import { t } from '../../shared/texts/texts.ts'
import { announce } from '../data/messages.ts'
import { callsOf, ScreenReads } from '../data/screen-reads.tsx'
import { usePublicOrigin } from '../data/session.tsx'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'
import { unreadIn } from './use-readable.ts'

/**
 * Copies what these calls send as commands, one a line. Without calls: what the screen has read. What its form would not send is not copied, and
 * the clipboard keeps what it has.
 */
export function CopyAsCurl({ calls }: { calls?: () => readonly Call[] }) {
  const reads = use(ScreenReads)
  const origin = usePublicOrigin()
  const copy = async (form: HTMLFormElement | null): Promise<void> => {
    const unread = form === null ? undefined : unreadIn(form)
    if (unread !== undefined) return announce(unread)
    const requests = await Promise.all((calls?.() ?? callsOf(reads)).map((call) => requestOf(call, origin)))
    const commands = requests.filter((request) => request !== undefined).map(curlOf)
    if (commands.length === 0) return announce(t.copy.noCurl)
    await copyText(commands.join('\n'), t.copy.curlDone(commands.length))
  }
  return (
    <Button kind="quiet" onPress={({ target }) => void copy(target.closest('form'))}>
      <Terminal size={16} aria-hidden />
      {t.copy.curl}
    </Button>
  )
}
