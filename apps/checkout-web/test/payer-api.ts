import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import type { BrowserIntent, BrowserSession } from '@merchant-payments/payer-client/form/types'
import { SECRET, sessionOf } from './wire.ts'

interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly form: Readonly<Record<string, string>>
}

type Answer = Partial<BrowserIntent> | Response | 'network_error'

/** The API of one session as the payer's browser sees it. A test changes its state; it records each request. */
export interface PayerApi {
  readonly server: ReturnType<typeof setupServer>
  readonly calls: Call[]
  session: BrowserSession
  /** The answer to each confirm: the intent's new state, or another answer. The last one repeats. */
  confirms: Answer[]
  /** Called when a confirm arrives. */
  onConfirm: () => void
  /** The fault that reads meet; null for none. */
  readFault: 'network_error' | number | null
  /** How far its clock is ahead of the payer's phone, in ms. */
  aheadMs: number
  change(intent: Partial<BrowserIntent>): void
  confirmCalls(): readonly Call[]
  reset(): void
}

export const envelope = (status: number, code: string, param?: string): Response =>
  HttpResponse.json({ error: { type: 'invalid_request_error', code, message: '-', param } }, { status })

const ANY = '*/v1/browser'

export function createPayerApi(): PayerApi {
  const calls: Call[] = []

  const note = async (request: Request): Promise<void> => {
    const { method, url, headers } = request
    const form = Object.fromEntries(new URLSearchParams(await request.clone().text()))
    calls.push({ method, url, headers, form })
  }

  const read = async (request: Request, body: () => object): Promise<Response> => {
    await note(request)
    if (api.readFault === 'network_error') return HttpResponse.error()
    if (api.readFault !== null) return envelope(api.readFault, 'internal_error')
    if (request.headers.get('client-secret') !== SECRET) return envelope(404, 'resource_missing')
    return HttpResponse.json(body(), { headers: { date: new Date(Date.now() + api.aheadMs).toUTCString() } })
  }

  const server = setupServer(
    http.get(`${ANY}/checkout/sessions/:id`, ({ request }) => read(request, () => api.session)),
    http.get(`${ANY}/payment_intents/:id`, ({ request }) => read(request, () => api.session.payment_intent)),
    http.post(`${ANY}/payment_intents/:id/confirm`, async ({ request }) => {
      await note(request)
      api.onConfirm()
      const answer = api.confirms.length > 1 ? api.confirms.shift() : api.confirms[0]
      if (answer === undefined) return envelope(500, 'internal_error')
      if (answer === 'network_error') return HttpResponse.error()
      if (answer instanceof Response) return answer.clone()
      api.change(answer)
      return HttpResponse.json(api.session.payment_intent)
    }),
  )

  const api: PayerApi = {
    server,
    calls,
    session: sessionOf(),
    confirms: [],
    onConfirm: () => undefined,
    readFault: null,
    aheadMs: 0,
    change: (intent) => {
      api.session = { ...api.session, payment_intent: { ...api.session.payment_intent, ...intent } }
    },
    confirmCalls: () => calls.filter(({ method }) => method === 'POST'),
    reset: () => {
      calls.length = 0
      api.session = sessionOf()
      api.confirms = []
      api.onConfirm = () => undefined
      api.readFault = null
      api.aheadMs = 0
    },
  }
  return api
}
