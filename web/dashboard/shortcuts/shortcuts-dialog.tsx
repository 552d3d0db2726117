import { t } from '../../shared/texts/texts.ts'
import { useStore } from '../data/store.ts'
import { useScreens } from '../frame/use-screens.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Switch } from '../kit/switch.tsx'
import styles from './shortcuts.module.css'
import { areSingleKeysOn, setSingleKeys } from './single-keys.ts'
import { shortcutsOpen } from './use-shortcuts.ts'

/** The list of keys, and the switch that turns those without Ctrl off. */
export function ShortcutsDialog() {
  const isOpen = useStore(shortcutsOpen)
  const isOn = useStore(areSingleKeysOn)
  const screens = useScreens().filter(({ key }) => key !== undefined)
  const keys = [...t.shortcuts.keys, ...screens.map(({ key = '', label }) => ({ key: `g ${key}`, does: label }))]
  return (
    <Dialog title={t.shortcuts.title} isOpen={isOpen} onClose={() => shortcutsOpen.set(() => false)}>
      <Switch label={t.shortcuts.single} isSelected={isOn} onChange={setSingleKeys} />
      <dl className={styles.keys}>
        {keys.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
