import { Terminal } from 'lucide-react'
import { use } from 'react'
import { type Call, curlOf, requestOf } from '../../shared/curl.ts'
import { t } from '../../shared/texts/texts.ts'
import { callsOf, ScreenReads } from '../data/screen-reads.tsx'
import { usePublicOrigin } from '../data/session.tsx'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'

/** Copies what these calls send as commands, one a line. Without calls: what the screen has read. */
export function CopyAsCurl({ calls }: { calls?: () => readonly Call[] }) {
  const reads = use(ScreenReads)
  const origin = usePublicOrigin()
  const copy = async (): Promise<void> => {
    const requests = await Promise.all((calls?.() ?? callsOf(reads)).map((call) => requestOf(call, origin)))
    const commands = requests.filter((request) => request !== undefined).map(curlOf)
    await copyText(commands.join('\n'), t.copy.curlDone(commands.length))
  }
  return (
    <Button kind="quiet" onPress={() => void copy()}>
      <Terminal size={16} aria-hidden />
      {t.copy.curl}
    </Button>
  )
}
