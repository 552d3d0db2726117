import {
  ArrowLeftRight,
  BookmarkCheck,
  Boxes,
  ChartColumn,
  ClipboardList,
  House,
  KeyRound,
  ListChecks,
  type LucideIcon,
  MapPin,
  Monitor,
  PackageCheck,
  Radio,
  Scale,
  ScanBarcode,
  ScrollText,
  Settings,
  ShoppingBasket,
  Tag,
  Truck,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react'
import { t } from '../../shared/texts/texts.ts'
import type { Scope } from '../data/scopes.ts'

export interface NavigationEntry {
  path: string
  label: string
  icon: LucideIcon
  /** What its first read needs: without it the entry is absent. Home shows what there is to see. */
  scope?: Scope
  /** Entries of a group stand together. */
  group: 'goods' | 'integration' | 'access' | 'setup'
  /** The key after `g`. */
  key?: string
}

/** The screens of the navigation, in its order. */
export const SCREENS: readonly NavigationEntry[] = [
  { path: '/', label: t.nav.home, icon: House, group: 'goods', key: 'h' },
  { path: '/orders', label: t.nav.orders, icon: ClipboardList, scope: 'read:orders', group: 'goods', key: 'o' },
  { path: '/products', label: t.nav.products, icon: Tag, scope: 'read:products', group: 'goods', key: 'p' },
  { path: '/stock', label: t.nav.stock, icon: Boxes, scope: 'read:stock', group: 'goods', key: 's' },
  { path: '/movements', label: t.nav.movements, icon: ArrowLeftRight, scope: 'read:stock', group: 'goods', key: 'm' },
  { path: '/picking', label: t.nav.picking, icon: ShoppingBasket, scope: 'read:orders', group: 'goods', key: 'k' },
  { path: '/reservations', label: t.nav.reservations, icon: BookmarkCheck, scope: 'read:stock', group: 'goods' },
  { path: '/inbound', label: t.nav.inbound, icon: Truck, scope: 'read:stock', group: 'goods', key: 'i' },
  { path: '/returns', label: t.nav.returns, icon: Undo2, scope: 'read:orders', group: 'goods', key: 'r' },
  { path: '/counts', label: t.nav.counts, icon: ListChecks, scope: 'read:stock', group: 'goods', key: 'c' },
  { path: '/shipments', label: t.nav.shipments, icon: PackageCheck, scope: 'read:orders', group: 'goods' },
  { path: '/webhooks', label: t.nav.webhooks, icon: Webhook, scope: 'read:webhooks', group: 'integration', key: 'w' },
  { path: '/events', label: t.nav.events, icon: Radio, scope: 'read:webhooks', group: 'integration', key: 'e' },
  { path: '/keys', label: t.nav.keys, icon: KeyRound, scope: 'admin', group: 'access' },
  { path: '/usage', label: t.nav.usage, icon: ChartColumn, scope: 'admin', group: 'access' },
  { path: '/audit', label: t.nav.audit, icon: ScrollText, scope: 'admin', group: 'access' },
  { path: '/reconcile', label: t.nav.reconcile, icon: Scale, scope: 'admin', group: 'access' },
  { path: '/operators', label: t.nav.operators, icon: Users, scope: 'admin', group: 'setup' },
  { path: '/devices', label: t.nav.devices, icon: ScanBarcode, scope: 'admin', group: 'setup' },
  { path: '/sessions', label: t.nav.sessions, icon: Monitor, scope: 'admin', group: 'setup' },
  { path: '/locations', label: t.nav.locations, icon: MapPin, scope: 'read:stock', group: 'setup' },
  { path: '/settings', label: t.nav.settings, icon: Settings, scope: 'read:stock', group: 'setup' },
]
