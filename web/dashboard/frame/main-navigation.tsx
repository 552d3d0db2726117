import { Link } from '@tanstack/react-router'
import { t } from '../../shared/texts/texts.ts'
import styles from './frame.module.css'
import { useScreens } from './use-screens.ts'

/** The way to every screen that the session's key can read. */
export function MainNavigation({ onNavigate }: { onNavigate?: () => void }) {
  const screens = useScreens()
  return (
    <nav aria-label={t.nav.label} className={styles.navigation}>
      <ul>
        {screens.map(({ path, label, icon: Icon, group }, index) => (
          <li key={path} className={group === screens[index - 1]?.group ? undefined : styles.firstOfGroup}>
            <Link
              to={path}
              className={styles.entry}
              activeProps={CURRENT}
              activeOptions={{ exact: path === '/' }}
              {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
            >
              <Icon size={16} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const CURRENT = { className: styles.current ?? '', 'aria-current': 'page' as const }
