import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { BASE_PATH } from './data/client.ts'
import { NoSuchPage, ScreenFailed } from './frame/no-such-page.tsx'
import { Root } from './frame/root.tsx'
import { lazyScreen } from './lazy-screen.ts'
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

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyScreen(() => import('./screens/home/home-screen.tsx'), 'HomeScreen'),
})

const orders = createRoute({
  getParentRoute: () => frame,
  path: '/orders',
  validateSearch: parseOrdersSearch,
  component: lazyScreen(() => import('./screens/orders/orders-screen.tsx'), 'OrdersScreen'),
})

const newOrder = createRoute({
  getParentRoute: () => frame,
  path: '/orders/new',
  component: lazyScreen(() => import('./screens/orders/new-order-screen.tsx'), 'NewOrderScreen'),
})

const order = createRoute({
  getParentRoute: () => frame,
  path: '/orders/$id',
  component: lazyScreen(() => import('./screens/orders/order-screen.tsx'), 'OrderScreen'),
})

const products = createRoute({
  getParentRoute: () => frame,
  path: '/products',
  validateSearch: parseProductsSearch,
  component: lazyScreen(() => import('./screens/products/products-screen.tsx'), 'ProductsScreen'),
})

const newProduct = createRoute({
  getParentRoute: () => frame,
  path: '/products/new',
  component: lazyScreen(() => import('./screens/products/new-product-screen.tsx'), 'NewProductScreen'),
})

const importProducts = createRoute({
  getParentRoute: () => frame,
  path: '/products/import',
  component: lazyScreen(() => import('./screens/import/import-products-screen.tsx'), 'ImportProductsScreen'),
})

const importStock = createRoute({
  getParentRoute: () => frame,
  path: '/stock/import',
  component: lazyScreen(() => import('./screens/import/import-stock-screen.tsx'), 'ImportStockScreen'),
})

const product = createRoute({
  getParentRoute: () => frame,
  path: '/products/$id',
  component: lazyScreen(() => import('./screens/products/product-screen.tsx'), 'ProductScreen'),
})

const stock = createRoute({
  getParentRoute: () => frame,
  path: '/stock',
  validateSearch: parseStockSearch,
  component: lazyScreen(() => import('./screens/stock/stock-screen.tsx'), 'StockScreen'),
})

const movements = createRoute({
  getParentRoute: () => frame,
  path: '/movements',
  validateSearch: parseMovementsSearch,
  component: lazyScreen(() => import('./screens/movements/movements-screen.tsx'), 'MovementsScreen'),
})

const picking = createRoute({
  getParentRoute: () => frame,
  path: '/picking',
  validateSearch: parsePickingSearch,
  component: lazyScreen(() => import('./screens/picking/picking-screen.tsx'), 'PickingScreen'),
})

const flow = createRoute({
  getParentRoute: () => frame,
  path: '/picking/$id',
  component: lazyScreen(() => import('./screens/picking/flow-screen.tsx'), 'FlowScreen'),
})

const batch = createRoute({
  getParentRoute: () => frame,
  path: '/picking/batches/$id',
  component: lazyScreen(() => import('./screens/picking/batch-screen.tsx'), 'BatchScreen'),
})

const reservations = createRoute({
  getParentRoute: () => frame,
  path: '/reservations',
  validateSearch: parseReservationsSearch,
  component: lazyScreen(() => import('./screens/reservations/reservations-screen.tsx'), 'ReservationsScreen'),
})

const inbound = createRoute({
  getParentRoute: () => frame,
  path: '/inbound',
  validateSearch: parseInboundSearch,
  component: lazyScreen(() => import('./screens/inbound/inbound-screen.tsx'), 'InboundScreen'),
})

const inboundRecord = createRoute({
  getParentRoute: () => frame,
  path: '/inbound/$id',
  component: lazyScreen(() => import('./screens/inbound/inbound-record-screen.tsx'), 'InboundRecordScreen'),
})

const newDelivery = createRoute({
  getParentRoute: () => frame,
  path: '/inbound/new',
  component: lazyScreen(() => import('./screens/inbound/new-delivery-screen.tsx'), 'NewDeliveryScreen'),
})

const returns = createRoute({
  getParentRoute: () => frame,
  path: '/returns',
  validateSearch: parseReturnsSearch,
  component: lazyScreen(() => import('./screens/returns/returns-screen.tsx'), 'ReturnsScreen'),
})

const newReturn = createRoute({
  getParentRoute: () => frame,
  path: '/returns/new',
  validateSearch: (search: Search): { order?: number | undefined } => ({ order: idOf(search.order) }),
  component: lazyScreen(() => import('./screens/returns/new-return-screen.tsx'), 'NewReturnScreen'),
})

const returnRecord = createRoute({
  getParentRoute: () => frame,
  path: '/returns/$id',
  component: lazyScreen(() => import('./screens/returns/return-screen.tsx'), 'ReturnScreen'),
})

const counts = createRoute({
  getParentRoute: () => frame,
  path: '/counts',
  validateSearch: parseCountsSearch,
  component: lazyScreen(() => import('./screens/counts/counts-screen.tsx'), 'CountsScreen'),
})

const newCount = createRoute({
  getParentRoute: () => frame,
  path: '/counts/new',
  component: lazyScreen(() => import('./screens/counts/new-count-screen.tsx'), 'NewCountScreen'),
})

const countRecord = createRoute({
  getParentRoute: () => frame,
  path: '/counts/$id',
  validateSearch: parseCountSearch,
  component: lazyScreen(() => import('./screens/counts/count-screen.tsx'), 'CountScreen'),
})

const shipments = createRoute({
  getParentRoute: () => frame,
  path: '/shipments',
  validateSearch: parseShipmentsSearch,
  component: lazyScreen(() => import('./screens/shipments/shipments-screen.tsx'), 'ShipmentsScreen'),
})

const shipment = createRoute({
  getParentRoute: () => frame,
  path: '/shipments/$id',
  component: lazyScreen(() => import('./screens/shipments/shipment-screen.tsx'), 'ShipmentScreen'),
})

const locations = createRoute({
  getParentRoute: () => frame,
  path: '/locations',
  validateSearch: parsePage,
  component: lazyScreen(() => import('./screens/locations/locations-screen.tsx'), 'LocationsScreen'),
})

const labels = createRoute({
  getParentRoute: () => frame,
  path: '/locations/labels',
  validateSearch: parsePage,
  component: lazyScreen(() => import('./screens/locations/labels-screen.tsx'), 'LabelsScreen'),
})

const keys = createRoute({
  getParentRoute: () => frame,
  path: '/keys',
  validateSearch: parsePage,
  component: lazyScreen(() => import('./screens/keys/keys-screen.tsx'), 'KeysScreen'),
})

const newKey = createRoute({
  getParentRoute: () => frame,
  path: '/keys/new',
  validateSearch: (search: Search): { like?: string | undefined } => ({ like: textOf(search.like) }),
  component: lazyScreen(() => import('./screens/keys/new-key-screen.tsx'), 'NewKeyScreen'),
})

const key = createRoute({
  getParentRoute: () => frame,
  path: '/keys/$id',
  component: lazyScreen(() => import('./screens/keys/key-screen.tsx'), 'KeyScreen'),
})

const operators = createRoute({
  getParentRoute: () => frame,
  path: '/operators',
  validateSearch: parsePage,
  component: lazyScreen(() => import('./screens/operators/operators-screen.tsx'), 'OperatorsScreen'),
})

const devices = createRoute({
  getParentRoute: () => frame,
  path: '/devices',
  component: lazyScreen(() => import('./screens/devices/devices-screen.tsx'), 'DevicesScreen'),
})

const commands = createRoute({
  getParentRoute: () => frame,
  path: '/devices/commands',
  component: lazyScreen(() => import('./screens/devices/commands-screen.tsx'), 'CommandsScreen'),
})

const sessions = createRoute({
  getParentRoute: () => frame,
  path: '/sessions',
  component: lazyScreen(() => import('./screens/sessions/sessions-screen.tsx'), 'SessionsScreen'),
})

const webhooks = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks',
  component: lazyScreen(() => import('./screens/webhooks/webhooks-screen.tsx'), 'WebhooksScreen'),
})

const newWebhook = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks/new',
  component: lazyScreen(() => import('./screens/webhooks/new-webhook-screen.tsx'), 'NewWebhookScreen'),
})

const webhook = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks/$id',
  validateSearch: parseDeliveriesSearch,
  component: lazyScreen(() => import('./screens/webhooks/webhook-screen.tsx'), 'WebhookScreen'),
})

const delivery = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks/$id/deliveries/$delivery',
  component: lazyScreen(() => import('./screens/webhooks/delivery-screen.tsx'), 'DeliveryScreen'),
})

const events = createRoute({
  getParentRoute: () => frame,
  path: '/events',
  validateSearch: parseEventsSearch,
  component: lazyScreen(() => import('./screens/events/events-screen.tsx'), 'EventsScreen'),
})

const event = createRoute({
  getParentRoute: () => frame,
  path: '/events/$id',
  component: lazyScreen(() => import('./screens/events/event-screen.tsx'), 'EventScreen'),
})

const usage = createRoute({
  getParentRoute: () => frame,
  path: '/usage',
  validateSearch: parseUsageSearch,
  component: lazyScreen(() => import('./screens/usage/usage-screen.tsx'), 'UsageScreen'),
})

const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyScreen(() => import('./screens/audit/audit-screen.tsx'), 'AuditScreen'),
})

const reconcile = createRoute({
  getParentRoute: () => frame,
  path: '/reconcile',
  component: lazyScreen(() => import('./screens/reconcile/reconcile-screen.tsx'), 'ReconcileScreen'),
})

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  component: lazyScreen(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
})

const anythingElse = createRoute({ getParentRoute: () => frame, path: '$', component: NoSuchPage })

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signIn,
    frame.addChildren([
      home,
      orders,
      newOrder,
      order,
      products,
      newProduct,
      importProducts,
      product,
      stock,
      importStock,
      movements,
      picking,
      flow,
      batch,
      reservations,
      inbound,
      newDelivery,
      inboundRecord,
      returns,
      newReturn,
      returnRecord,
      counts,
      newCount,
      countRecord,
      shipments,
      shipment,
      keys,
      newKey,
      key,
      operators,
      devices,
      commands,
      sessions,
      locations,
      labels,
      settings,
      webhooks,
      newWebhook,
      webhook,
      delivery,
      events,
      event,
      usage,
      audit,
      reconcile,
      anythingElse,
    ]),
  ]),
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
