import styles from './progress-bar.module.css'

/** How much of a whole is done. The numbers stand beside it, so that it may be small. */
export function ProgressBar({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress className={styles.bar} aria-label={label} value={value} max={Math.max(max, 1)} />
}
