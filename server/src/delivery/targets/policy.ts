/** Finds the addresses of host names, a bounded number at a time for each tenant. */
export interface NameLookup {
  /** Undefined when the tenant has too many lookups in progress. */
  resolveAtOnce(hostname: string, tenantId: number): Promise<string[]> | undefined
  /** Waits while the tenant has too many lookups in progress. */
  resolveInTurn(hostname: string, tenantId: number): Promise<string[]>
}

/** Allowed receiver addresses, and how host names are resolved. */
export interface WebhookTargetPolicy {
  readonly allowPrivateNetwork: boolean
  readonly requireHttps: boolean
  readonly names: NameLookup
}
