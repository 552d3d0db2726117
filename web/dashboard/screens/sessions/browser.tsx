import { None } from '../../kit/time.tsx'
import { browserName } from './browser-name.ts'

/** The browser of a session in short, with all that it says of itself in the title. */
export function Browser({ userAgent }: { userAgent: string | null }) {
  if (userAgent === null) return <None />
  return <span title={userAgent}>{browserName(userAgent) ?? userAgent}</span>
}
