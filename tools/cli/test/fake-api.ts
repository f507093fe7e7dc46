import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import { createFakeService, type FakeService } from '@merchant-payments/node-sdk/testing'
import { listen } from '@merchant-payments/testing/listen'
import { temporaryFolder } from './run-cli.ts'

/**
 * What happens to a request: null for the fake's own answer. `cut` closes the connection without an answer, `cut after`
 * once the fake has executed the request. `silent` never answers.
 */
export type Fate = 'cut' | 'cut after' | 'silent' | { readonly status: number; readonly body: string } | null

export interface FakeApi {
  readonly service: FakeService
  readonly payments: MerchantPayments
  /** The variables of a merchant of this service. */
  readonly merchant: Record<string, string>
  /** Decides about each request, token requests included. Requests to the fake itself are not asked about. */
  fate: (method: string, path: string) => Fate
}

/** The fake service of the SDK behind an address, with faults of the network. */
export async function startFakeApi(): Promise<FakeApi> {
  const service = createFakeService()
  const folder = await temporaryFolder()
  const keyFile = join(folder, 'key.pem')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const fate = api.fate(method, url.replace(/\?.*/, ''))
    if (fate === 'silent') return
    if (fate === 'cut') return void request.socket.destroy()
    if (typeof fate === 'object' && fate !== null) return void response.writeHead(fate.status).end(fate.body)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const answer = await service.options.transport({
      method: method as 'GET' | 'POST',
      url: new URL(url, service.options.baseUrl).href,
      headers,
      body: method === 'POST' ? await text(request) : undefined,
      signal: new AbortController().signal,
      maxResponseBytes: 0,
    })
    if (fate === 'cut after') return void request.socket.destroy()
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  const api: FakeApi = {
    service,
    payments: createMerchantPayments(service.options),
    merchant: {
      PAYMENTS_URL: `http://127.0.0.1:${await listen(server)}`,
      PAYMENTS_CLIENT_ID: 'shop',
      PAYMENTS_KEY_FILE: keyFile,
      XDG_STATE_HOME: folder,
    },
    fate: () => null,
  }
  return api
}
