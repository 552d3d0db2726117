import { type TestTenant } from '../../support/service.ts'
import { cookieOf, PageClient, type PageHeaders, type PageResponse } from './page-client.ts'

/** An operator, with the text of the badge. */
export interface BadgedOperator {
  id: number
  email: string
  name: string
  badge: string
}

let count = 0

/** Adds an operator and issues a badge. */
export async function newOperator(tenant: TestTenant, fields: object = {}, key = tenant.key): Promise<BadgedOperator> {
  const email = `operator-${++count}@example.com`
  const { body } = await tenant.request('POST', '/operators', { name: 'Ada', email, ...fields }, { key })
  const { id, name, email: stored } = body.data
  const { badge } = (await tenant.request('POST', `/operators/${id}/badge`, undefined, { key })).body.data
  return { id, name, email: stored, badge }
}

/** Makes a code that enrols a device. */
export async function newDeviceCode(tenant: TestTenant, fields: object = {}, key = tenant.key): Promise<string> {
  const { body } = await tenant.request('POST', '/devices/codes', { device_name: 'Handheld', ...fields }, { key })
  return body.data.code
}

/** Sends requests as the scan app in a browser does. Calls name the operator who is signed in, unless told otherwise. */
export class ScanClient extends PageClient {
  /** What the browser keeps to stay the same device. */
  device: { id: number; secret: string } | undefined
  #operator: number | undefined

  constructor(url: string, headers: PageHeaders = {}) {
    super(url, { 'x-page': 'scan', ...headers })
  }

  /** Calls an operation, below `/scan/api/v1`. */
  override async call(method: string, path: string, body?: unknown, headers: PageHeaders = {}): Promise<PageResponse> {
    return await this.send(method, `/scan/api/v1${path}`, body, { 'x-page-operator': this.#operator?.toString(), ...headers })
  }

  /** Enrols with a code, and keeps the cookie and the device. */
  async enrol(code: string, fields: object = {}): Promise<PageResponse> {
    const response = await this.send('POST', '/scan/session', { code, device: this.device, ...fields })
    if (response.status !== 200) return response
    this.cookie = cookieOf(response)
    this.device = response.body.data.device
    return response
  }

  /** Signs an operator in by their badge. */
  async scanBadge({ id, badge }: Pick<BadgedOperator, 'id' | 'badge'>): Promise<PageResponse> {
    const response = await this.send('PUT', '/scan/session/operator', { badge })
    if (response.status === 200) this.#operator = id
    return response
  }
}

/** A device that was enrolled with the tenant's key or another one. */
export async function enrolled(tenant: TestTenant, fields: object = {}, key = tenant.key): Promise<ScanClient> {
  const client = new ScanClient(tenant.url)
  const response = await client.enrol(await newDeviceCode(tenant, fields, key))
  if (response.status !== 200) throw new Error(`the enrolment was refused: ${response.text}`)
  return client
}

/** A device with an operator. */
export async function deviceOf(tenant: TestTenant, operator: BadgedOperator, fields: object = {}): Promise<ScanClient> {
  const client = await enrolled(tenant, fields)
  const response = await client.scanBadge(operator)
  if (response.status !== 200) throw new Error(`the badge was refused: ${response.text}`)
  return client
}
