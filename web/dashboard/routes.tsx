import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { BASE_PATH } from './data/client.ts'
import { NoSuchPage, ScreenFailed } from './frame/no-such-page.tsx'
import { Root } from './frame/root.tsx'
import { lazyScreen, type LoadScreen } from './lazy-screen.ts'
import { parseAuditSearch } from './screens/audit/audit-search.ts'
import { parseCountSearch, parseCountsSearch } from './screens/counts/counts-search.ts'
import { parseEventsSearch } from './screens/events/events-search.ts'
import { parseInboundSearch } from './screens/inbound/inbound-search.ts'
import { parseMovementsSearch } from './screens/movements/movements-search.ts'
import { parseOrdersSearch } from './screens/orders/orders-search.ts'
import { parsePickingSearch } from './screens/picking/picking-search.ts'
import { parseProductsSearch } from './screens/products/products-search.ts'
import { parseReservationsSearch } from './screens/reservations/reservations-search.ts'
import { parseReturnsSearch } from './screens/returns/returns-search.ts'
import { parseShipmentsSearch } from './screens/shipments/shipments-search.ts'
import { parseStockSearch } from './screens/stock/stock-search.ts'
import { parseUsageSearch } from './screens/usage/usage-search.ts'
import { parseDeliveriesSearch } from './screens/webhooks/deliveries-search.ts'
import { idOf, pageOf, parseSearch, stringifySearch, textOf } from './search-parameters.ts'

type Search = Record<string, unknown>

/** The address of a list without filters. */
const parsePage = (search: Search): { page?: number | undefined } => ({ page: pageOf(search.page) })

/** The order that a new return is of. */
const parseNewReturn = (search: Search): { order?: number | undefined } => ({ order: idOf(search.order) })

/** The id of the key whose choices a new key begins with. */
const parseNewKey = (search: Search): { like?: string | undefined } => ({ like: textOf(search.like) })

const rootRoute = createRootRoute({ notFoundComponent: NoSuchPage })

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Search): { next?: string } => {
    const next = textOf(search.next)
    return next?.startsWith('/') === true && !next.startsWith('//') ? { next } : {}
  },
  component: lazyScreen(() => import('./screens/sign-in/sign-in-screen.tsx'), 'SignInScreen'),
})

const frame = createRoute({ getParentRoute: () => rootRoute, id: 'frame', component: Root, notFoundComponent: NoSuchPage })

/** A screen of the frame. Its file is loaded when it is opened. */
function screenRoute<Path extends string, Name extends string>(path: Path, load: LoadScreen<Name>, name: Name) {
  return createRoute({ getParentRoute: () => frame, path, component: lazyScreen(load, name) })
}

/** The same for a screen that has parameters in its address. */
function searchRoute<Path extends string, Name extends string, Parsed>(
  path: Path,
  load: LoadScreen<Name>,
  name: Name,
  validateSearch: (search: Search) => Parsed,
) {
  return createRoute({ getParentRoute: () => frame, path, validateSearch, component: lazyScreen(load, name) })
}

// Not inline in `createRouter`: the router's type would depend on itself through the screens, and links would no longer be checked.
const screenRoutes = [
  screenRoute('/', () => import('./screens/home/home-screen.tsx'), 'HomeScreen'),
  searchRoute('/orders', () => import('./screens/orders/orders-screen.tsx'), 'OrdersScreen', parseOrdersSearch),
  screenRoute('/orders/new', () => import('./screens/orders/new-order-screen.tsx'), 'NewOrderScreen'),
  screenRoute('/orders/$id', () => import('./screens/orders/order-screen.tsx'), 'OrderScreen'),
  searchRoute('/products', () => import('./screens/products/products-screen.tsx'), 'ProductsScreen', parseProductsSearch),
  screenRoute('/products/new', () => import('./screens/products/new-product-screen.tsx'), 'NewProductScreen'),
  screenRoute('/products/import', () => import('./screens/import/import-products-screen.tsx'), 'ImportProductsScreen'),
  screenRoute('/products/$id', () => import('./screens/products/product-screen.tsx'), 'ProductScreen'),
  searchRoute('/stock', () => import('./screens/stock/stock-screen.tsx'), 'StockScreen', parseStockSearch),
  screenRoute('/stock/import', () => import('./screens/import/import-stock-screen.tsx'), 'ImportStockScreen'),
  searchRoute('/movements', () => import('./screens/movements/movements-screen.tsx'), 'MovementsScreen', parseMovementsSearch),
  searchRoute('/picking', () => import('./screens/picking/picking-screen.tsx'), 'PickingScreen', parsePickingSearch),
  screenRoute('/picking/$id', () => import('./screens/picking/flow-screen.tsx'), 'FlowScreen'),
  screenRoute('/picking/batches/$id', () => import('./screens/picking/batch-screen.tsx'), 'BatchScreen'),
  searchRoute(
    '/reservations',
    () => import('./screens/reservations/reservations-screen.tsx'),
    'ReservationsScreen',
    parseReservationsSearch,
  ),
  searchRoute('/inbound', () => import('./screens/inbound/inbound-screen.tsx'), 'InboundScreen', parseInboundSearch),
  screenRoute('/inbound/new', () => import('./screens/inbound/new-delivery-screen.tsx'), 'NewDeliveryScreen'),
  screenRoute('/inbound/$id', () => import('./screens/inbound/inbound-record-screen.tsx'), 'InboundRecordScreen'),
  searchRoute('/returns', () => import('./screens/returns/returns-screen.tsx'), 'ReturnsScreen', parseReturnsSearch),
  searchRoute('/returns/new', () => import('./screens/returns/new-return-screen.tsx'), 'NewReturnScreen', parseNewReturn),
  screenRoute('/returns/$id', () => import('./screens/returns/return-screen.tsx'), 'ReturnScreen'),
  searchRoute('/counts', () => import('./screens/counts/counts-screen.tsx'), 'CountsScreen', parseCountsSearch),
  screenRoute('/counts/new', () => import('./screens/counts/new-count-screen.tsx'), 'NewCountScreen'),
  searchRoute('/counts/$id', () => import('./screens/counts/count-screen.tsx'), 'CountScreen', parseCountSearch),
  searchRoute('/shipments', () => import('./screens/shipments/shipments-screen.tsx'), 'ShipmentsScreen', parseShipmentsSearch),
  screenRoute('/shipments/$id', () => import('./screens/shipments/shipment-screen.tsx'), 'ShipmentScreen'),
  searchRoute('/keys', () => import('./screens/keys/keys-screen.tsx'), 'KeysScreen', parsePage),
  searchRoute('/keys/new', () => import('./screens/keys/new-key-screen.tsx'), 'NewKeyScreen', parseNewKey),
  screenRoute('/keys/$id', () => import('./screens/keys/key-screen.tsx'), 'KeyScreen'),
  searchRoute('/operators', () => import('./screens/operators/operators-screen.tsx'), 'OperatorsScreen', parsePage),
  screenRoute('/devices', () => import('./screens/devices/devices-screen.tsx'), 'DevicesScreen'),
  screenRoute('/devices/commands', () => import('./screens/devices/commands-screen.tsx'), 'CommandsScreen'),
  screenRoute('/sessions', () => import('./screens/sessions/sessions-screen.tsx'), 'SessionsScreen'),
  searchRoute('/locations', () => import('./screens/locations/locations-screen.tsx'), 'LocationsScreen', parsePage),
  searchRoute('/locations/labels', () => import('./screens/locations/labels-screen.tsx'), 'LabelsScreen', parsePage),
  screenRoute('/settings', () => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
  screenRoute('/webhooks', () => import('./screens/webhooks/webhooks-screen.tsx'), 'WebhooksScreen'),
  screenRoute('/webhooks/new', () => import('./screens/webhooks/new-webhook-screen.tsx'), 'NewWebhookScreen'),
  searchRoute('/webhooks/$id', () => import('./screens/webhooks/webhook-screen.tsx'), 'WebhookScreen', parseDeliveriesSearch),
  screenRoute('/webhooks/$id/deliveries/$delivery', () => import('./screens/webhooks/delivery-screen.tsx'), 'DeliveryScreen'),
  searchRoute('/events', () => import('./screens/events/events-screen.tsx'), 'EventsScreen', parseEventsSearch),
  screenRoute('/events/$id', () => import('./screens/events/event-screen.tsx'), 'EventScreen'),
  searchRoute('/usage', () => import('./screens/usage/usage-screen.tsx'), 'UsageScreen', parseUsageSearch),
  searchRoute('/audit', () => import('./screens/audit/audit-screen.tsx'), 'AuditScreen', parseAuditSearch),
  screenRoute('/reconcile', () => import('./screens/reconcile/reconcile-screen.tsx'), 'ReconcileScreen'),
  createRoute({ getParentRoute: () => frame, path: '$', component: NoSuchPage }),
] as const

export const router = createRouter({
  routeTree: rootRoute.addChildren([signIn, frame.addChildren(screenRoutes)]),
  basepath: BASE_PATH,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenFailed,
  // Another record is another screen: what was typed or opened for the one must not be shown, or saved, for the other.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
