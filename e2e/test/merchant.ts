import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@merchant-payments/stack'
import type { JournalEntry } from '@merchant-payments/testing/invariants'
import { fetchToken } from '@merchant-payments/testing/token'

/** A payment intent or a refund. */
export interface Resource {
  readonly id: string
  readonly status: string
  /** In the answer to a create alone. */
  readonly client_secret?: string
  readonly next_action: { readonly redirect_to_url: { readonly url: string } } | null
}

/** A merchant's backend that retries with the same key until it gets an answer, and records every answer. */
export interface Merchant {
  readonly journal: readonly JournalEntry[]
  /** An intent payable over both rails. */
  readonly createIntent: (amount: number) => Promise<Resource>
  /** Undefined if the service kept answering that the outcome is open. */
  readonly confirm: (intent: Resource, msisdn: string) => Promise<Resource | undefined>
  /** Confirms over the rail that sends the payer to its own page. */
  readonly confirmByPage: (intent: Resource) => Promise<Resource | undefined>
  readonly cancel: (intent: Resource) => Promise<Resource | undefined>
  /** Resolves once the payment has succeeded. */
  readonly pay: (amount: number, msisdn: string) => Promise<Resource>
  readonly refund: (intent: Resource, amount: number, msisdn: string) => Promise<Resource | undefined>
  /** One new write, sent once. */
  readonly tryWrite: () => Promise<boolean>
  /** The number of requests whose outcome stayed open. */
  readonly unfinished: () => number
  /** Sends every request again whose outcome stayed open. Returns those that are refused, or stay open. */
  readonly finish: () => Promise<string[]>
  /** Sends every answered request again, under its key. Returns the requests that get another answer. */
  readonly replay: () => Promise<string[]>
}

interface Bearer {
  token: string | null
}

interface Sent {
  readonly path: string
  readonly form: string
  readonly key: string
}

interface Answered extends Sent {
  readonly status: number
  readonly text: string
}

/** The number of open answers to one request, and the pause between attempts. */
const TRIES_MAX = 60
const PAUSE_MS = 100
/** Longer than a killed process takes to restart on a busy machine. */
const AWAY_MAX_MS = 60_000

/** @param addresses of apis, to which requests and their repetitions go in turn */
export async function openMerchant(
  { baseUrl, tokenUrl, clientId, privateKeyFile, mockRails: { pushRail, redirectRail } }: Stack,
  addresses: readonly string[] = [baseUrl],
): Promise<Merchant> {
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8'))
  let sent = 0
  const nextAddress = () => addresses[sent++ % addresses.length] ?? baseUrl
  const journal: JournalEntry[] = []
  const answered: Answered[] = []
  const open: Sent[] = []

  async function post(path: string, form: string): Promise<{ status: number; body: Resource } | undefined> {
    const key = randomUUID()
    // Each request fetches its own token, so that the token endpoint is a step of every payment.
    const bearer: Bearer = { token: null }
    let answers = 0
    let heardAtMs = performance.now()
    while (answers < TRIES_MAX && performance.now() - heardAtMs < AWAY_MAX_MS) {
      const answer = await send(path, form, key, bearer)
      if (answer !== null) {
        if (answer.status < 500 && !isOpen(path, answer)) {
          answered.push({ path, form, key, status: answer.status, text: answer.text })
          return answer
        }
        answers += 1
        heardAtMs = performance.now()
      }
      await delay(PAUSE_MS)
    }
    open.push({ path, form, key })
    return undefined
  }

  /** Null if no answer came, because the process was down or died. */
  async function send(path: string, form: string, key: string, bearer: Bearer) {
    try {
      bearer.token ??= await fetchToken({ tokenUrl, clientId, privateJwk })
      const response = await fetch(nextAddress() + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer.token}`,
          'idempotency-key': key,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form,
      })
      const text = await response.text()
      journal.push({
        merchant: clientId,
        key,
        request: `POST ${path} ${form}`,
        status: response.status,
        body: text,
      })
      return { status: response.status, text, body: JSON.parse(text) as Resource }
    } catch {
      return null
    }
  }

  const resourceOf = (answer: { status: number; body: Resource } | undefined): Resource | undefined =>
    answer?.status === 200 || answer?.status === 201 ? answer.body : undefined

  async function read(path: string): Promise<Resource> {
    const token = await fetchToken({ tokenUrl, clientId, privateJwk })
    const response = await fetch(nextAddress() + path, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as Resource
  }

  const createIntent: Merchant['createIntent'] = async (amount) => {
    const form = `amount=${amount}&currency=XAF&payment_method_types[]=${pushRail}&payment_method_types[]=${redirectRail}`
    const intent = resourceOf(await post('/v1/payment_intents', form))
    if (intent === undefined) throw new Error('no intent could be created')
    return intent
  }
  const confirmBy = async ({ id }: Resource, form: string) =>
    resourceOf(await post(`/v1/payment_intents/${id}/confirm`, form))
  const confirm: Merchant['confirm'] = (intent, msisdn) =>
    confirmBy(intent, `payment_method_data[${pushRail}][msisdn]=${msisdn}`)

  return {
    journal,
    createIntent,
    confirm,
    confirmByPage: (intent) =>
      confirmBy(intent, `payment_method_data[${redirectRail}]=&return_url=https://shop.example/back`),
    cancel: async ({ id }) => resourceOf(await post(`/v1/payment_intents/${id}/cancel`, '')),
    pay: async (amount, msisdn) => {
      const created = await createIntent(amount)
      await confirm(created, msisdn)
      const deadlineMs = performance.now() + AWAY_MAX_MS
      while (performance.now() < deadlineMs) {
        const intent = await read(`/v1/payment_intents/${created.id}`).catch(() => undefined)
        if (intent?.status === 'succeeded') return intent
        await delay(PAUSE_MS)
      }
      throw new Error('the payment did not succeed')
    },
    tryWrite: async () =>
      (await send('/v1/customers', 'name=Ada', randomUUID(), { token: null }))?.status === 200,
    unfinished: () => open.length,
    finish: async () => {
      const bearer: Bearer = { token: null }
      const refused: string[] = []
      for (const { path, form, key } of open) {
        const answer = (await send(path, form, key, bearer)) ?? undefined
        const isDone =
          resourceOf(answer) !== undefined || (answer !== undefined && isOvertaken(path, answer.text))
        if (!isDone) refused.push(`${path} ${form}: ${answer?.status} ${answer?.text}`)
      }
      return refused
    },
    replay: async () => {
      const bearer: Bearer = { token: null }
      const differing: string[] = []
      for (const { path, form, key, status, text } of answered) {
        const again = await send(path, form, key, bearer)
        if (again?.status !== status || again.text !== text)
          differing.push(`${path} ${form}: ${status} ${text} became ${again?.status} ${again?.text}`)
      }
      return differing
    },
    refund: async ({ id }, amount, msisdn) =>
      resourceOf(
        await post(
          '/v1/refunds',
          `payment_intent=${id}&amount=${amount}&destination[${pushRail}][msisdn]=${msisdn}`,
        ),
      ),
  }
}

/** Whether a cancel overtook its confirm, or a confirm its cancel. */
const isOvertaken = (path: string, text: string): boolean =>
  text.includes('"intent_canceled"') || (path.endsWith('/cancel') && text.includes('"charge_terminal"'))

/** Whether the same request gets another answer later: while its key is held, and while its own charge is under way. */
const isOpen = (path: string, { status, text }: { status: number; text: string }): boolean =>
  status >= 400 &&
  (text.includes('"idempotency_key_in_flight"') ||
    (path.endsWith('/confirm') && text.includes('"charge_in_progress"')))
