import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@merchant-payments/stack'
import type { JournalEntry } from '@merchant-payments/testing/invariants'
import { fetchToken } from '@merchant-payments/testing/token'

export interface Intent {
  readonly id: string
  readonly status: string
  readonly next_action: { readonly redirect_to_url: { readonly url: string } } | null
}

/** A merchant's backend that never gives up: it retries with the same key, and writes down every answer. */
export interface Merchant {
  readonly journal: readonly JournalEntry[]
  /** Payable over both rails. */
  readonly createIntent: (amount: number) => Promise<Intent>
  /** Undefined when the service went on answering that the outcome is open. */
  readonly confirm: (intent: Intent, msisdn: string) => Promise<Intent | undefined>
  /** The same over the rail that sends the payer to its own page. */
  readonly confirmByPage: (intent: Intent) => Promise<Intent | undefined>
  readonly cancel: (intent: Intent) => Promise<Intent | undefined>
}

interface Bearer {
  token: string | null
}

/** Tries of one request, and the pause between them: longer together than a restart takes. */
const TRIES_MAX = 60
const PAUSE_MS = 100

export async function openMerchant({
  baseUrl,
  tokenUrl,
  clientId,
  privateKeyFile,
  mockRails: { pushRail, redirectRail },
}: Stack): Promise<Merchant> {
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8'))
  const journal: JournalEntry[] = []

  async function post(path: string, form: string): Promise<{ status: number; body: Intent } | undefined> {
    const key = randomUUID()
    // A token of its own for each request, so that the token endpoint is a step of every payment.
    const bearer: Bearer = { token: null }
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await send(path, form, key, bearer)
      if (answer !== null && answer.status < 500 && !isOpen(answer)) return answer
      await delay(PAUSE_MS)
    }
    return undefined
  }

  /** Null when no answer came: the process was gone, or died under the request. */
  async function send(path: string, form: string, key: string, bearer: Bearer) {
    try {
      bearer.token ??= await fetchToken({ tokenUrl, clientId, privateJwk })
      const response = await fetch(baseUrl + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer.token}`,
          'idempotency-key': key,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form,
      })
      const body = await response.text()
      journal.push({
        merchant: clientId,
        key,
        request: `POST ${path} ${form}`,
        status: response.status,
        body,
      })
      return { status: response.status, body: JSON.parse(body) as Intent }
    } catch {
      return null
    }
  }

  const intentOf = (answer: { status: number; body: Intent } | undefined): Intent | undefined =>
    answer?.status === 200 || answer?.status === 201 ? answer.body : undefined

  const confirm = async (intent: Intent, form: string) =>
    intentOf(await post(`/v1/payment_intents/${intent.id}/confirm`, form))

  return {
    journal,
    createIntent: async (amount) => {
      const intent = intentOf(
        await post(
          '/v1/payment_intents',
          `amount=${amount}&currency=XAF&payment_method_types[]=${pushRail}&payment_method_types[]=${redirectRail}`,
        ),
      )
      if (intent === undefined) throw new Error('no intent could be created')
      return intent
    },
    confirm: (intent, msisdn) => confirm(intent, `payment_method_data[${pushRail}][msisdn]=${msisdn}`),
    confirmByPage: (intent) =>
      confirm(intent, `payment_method_data[${redirectRail}]=&return_url=https://shop.example/back`),
    cancel: async (intent) => intentOf(await post(`/v1/payment_intents/${intent.id}/cancel`, '')),
  }
}

const isOpen = ({ body }: { body: unknown }): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && JSON.stringify(body).includes('in_flight')
