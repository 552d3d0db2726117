import type { TestService } from '../support/service.ts'

/** Headers of a request with a JSON body. */
export const jsonHeaders = (key: string): Record<string, string> => ({ 'x-api-key': key, 'content-type': 'application/json' })

/** Sends a body unchanged. Returns the status and the error. */
export async function post(
  service: TestService,
  path: string,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; code: string; message: string }> {
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code ?? '', message: error?.message ?? '' }
}
