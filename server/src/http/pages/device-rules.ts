import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DeviceOperator, findOperatorOfDevice } from '../../domain/sessions/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { CallerSession } from '../../procedures/context.ts'
import type { Endpoint } from '../../procedures/endpoint.ts'
import type { Shards } from '../../shards/shards.ts'
import { type Device, type Devices, refreshedDevice } from './device-sessions.ts'

/** Receipts and their undo: they change stock, as picks do. */
const RECEIPTS = ['inbound.receive', 'inbound.undoReceipt', 'returns.receive', 'returns.undoReceipt']
/** Operations of every device whose key has the scope. */
const OPERATIONS = new Set([
  'orders.list',
  'orders.get',
  'flows.queue',
  'flows.list',
  'flows.get',
  'flows.start',
  'flows.pick',
  'flows.undoPick',
  'flows.complete',
  'flows.cancel',
  'flowBatches.create',
  'flowBatches.cancel',
  'products.list',
  'products.get',
  'products.getBySku',
  'stock.getBySku',
  'stock.overview',
  'locations.list',
  'settings.get',
  'barcodes.scan',
  'inbound.list',
  'inbound.get',
  'returns.list',
  'returns.get',
  'counts.list',
  'counts.get',
  'counts.addEntry',
  'counts.submit',
  'shipments.list',
  'shipments.get',
  'shipments.create',
  'shipments.update',
  'shipments.ship',
  ...RECEIPTS,
])
/** Further operations, for operators with `may_change_stock`. */
const CORRECTIONS = new Set(['stock.transfer', 'stock.adjust', 'stock.setLevel'])
/** Operations that a device may send for a former operator: it stored them while that operator was signed in. */
const KEPT = new Set(['flows.pick', 'flows.undoPick', 'flows.complete', ...RECEIPTS, 'counts.addEntry'])
/** Operations before which the operator is read again, to know whether they are active and may change stock. */
const CHANGES_OF_STOCK = new Set([
  ...CORRECTIONS,
  ...RECEIPTS,
  'flows.pick',
  'flows.undoPick',
  'flows.cancel',
  'flowBatches.cancel',
])

/**
 * Checks that a device may call an endpoint, and sets the operator of the call. Throws `not_on_device`, `operator_required`,
 * `operator_not_allowed`.
 */
export async function admitDevice(
  shards: Shards,
  devices: Devices,
  request: FastifyRequest,
  reply: FastifyReply,
  { name }: Endpoint,
): Promise<void> {
  if (!OPERATIONS.has(name) && !CORRECTIONS.has(name)) throw new ServiceError('not_on_device', `A device cannot call ${name}`)
  const device = await currentDevice(devices, request, reply, name)
  const { operator } = device
  if (operator === null) throw new ServiceError('operator_required', 'Scan a badge: no operator is signed in on this device')
  if (CORRECTIONS.has(name) && !operator.may_change_stock)
    throw new ServiceError('not_on_device', `${operator.name} may not change stock on a device`)
  const caller = namesOther(request, operator)
    ? await formerOperator(shards, request, device, name)
    : { id: operator.id, email: operator.email, isFormer: false }
  request.caller = { ...request.caller, session: { ...(request.caller.session as CallerSession), operator: caller } }
}

/** The cached device; read again if its operator may have changed on another process, or must be known exactly. */
async function currentDevice(devices: Devices, request: FastifyRequest, reply: FastifyReply, name: string): Promise<Device> {
  const cached = request.device as Device
  const named = request.headers['x-page-operator']
  const isCertain = !CHANGES_OF_STOCK.has(name) && named !== undefined && named === String(cached.operator?.id)
  return isCertain ? cached : await refreshedDevice(request, reply, devices)
}

/** Whether the call names another operator than the one who is signed in, who is the default. */
export function namesOther({ headers }: FastifyRequest, { id }: DeviceOperator): boolean {
  return headers['x-page-operator'] !== undefined && headers['x-page-operator'] !== String(id)
}

/** The former operator for whom the device sends a stored operation. */
async function formerOperator(shards: Shards, request: FastifyRequest, device: Device, name: string) {
  const id = Number(request.headers['x-page-operator'])
  const operator =
    KEPT.has(name) && Number.isSafeInteger(id)
      ? await findOperatorOfDevice(shards.of(device.data_tenant_id), device, id)
      : undefined
  if (operator === undefined)
    throw new ServiceError('operator_not_allowed', 'X-Page-Operator must be the operator who is signed in on this device')
  return { id: operator.id, email: operator.email, isFormer: true }
}
