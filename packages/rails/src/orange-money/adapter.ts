import type {
  ChargeAtRail,
  QueryOutcome,
  RailAdapter,
  SubmitCharge,
  SubmitOutcome,
} from '@merchant-payments/core'
import { evidenceOf, unanswered } from '../evidence.ts'
import type { Reply } from '../tokens.ts'
import { openWebPayment } from './client.ts'
import {
  mintOrderId,
  parseCallbackBody,
  parseCallbackQuery,
  renderOrder,
  renderStatusQuery,
  URL_CHARS_MAX,
} from './codec.ts'
import type { OrangeMoneyConfig } from './config.ts'
import { judgeQuery, judgeSubmit, type SubmitVerdict } from './errors.ts'

/** The payer types a number and a code first. */
const FIRST_QUERY_AFTER_MS = 10_000

const APPROVAL_WINDOW_SEC = 10 * 60

/** The sandbox has its own currency and accepts no other. */
const SANDBOX = { country: 'dev', currency: 'OUV' } as const

const fault = (errno: string): Reply => ({ kind: 'fault', sent: false, errno })

/** Orange Money Web Payment: a redirect rail. It reports on a charge only to the holder of its page's token. */
export function createOrangeMoney(config: OrangeMoneyConfig): RailAdapter {
  const { clock, merchantKey, country, settlementCurrency } = config
  const currency = country === SANDBOX.country ? SANDBOX.currency : settlementCurrency
  const plainAllowed = new URL(config.baseUrl).protocol === 'http:'
  const client = openWebPayment(config)

  async function submitCharge(charge: SubmitCharge): Promise<SubmitOutcome> {
    const startedMs = clock()
    const reply = await submit(charge, startedMs)
    const verdict = verdictOf(reply, plainAllowed)
    if (verdict.kind === 'declined') return verdict
    if (verdict.kind !== 'accepted') {
      return { kind: verdict.kind, evidence: evidenceOf('submit', reply, clock() - startedMs) }
    }
    const { payToken, notifToken, url } = verdict.page
    return { kind: 'accepted', railToken: payToken, callbackSecret: notifToken, redirectUrl: url }
  }

  async function submit(charge: SubmitCharge, startedMs: number): Promise<Reply> {
    const { reference, merchantId, amountMinor, returnUrl, callbackUrl, locale, deadlineMs } = charge
    // The rail requires both. Capabilities ask for them, so this is a fault of the caller.
    if (returnUrl === null || callbackUrl === null) return fault('NO_URL')
    if (startedMs > deadlineMs) return fault('PAST_DEADLINE')
    const body = renderOrder({
      merchantKey,
      currency,
      orderId: reference,
      amount: amountMinor,
      returnUrl,
      notifUrl: callbackUrl,
      lang: locale ?? config.lang,
    })
    return client.call({ operation: 'webpayment', body, owner: merchantId, notAfterMs: deadlineMs })
  }

  async function queryCharge(charge: ChargeAtRail): Promise<QueryOutcome> {
    const startedMs = clock()
    const { railToken } = charge
    const reply =
      railToken === null
        ? fault('NO_PAY_TOKEN')
        : await client.call({ operation: 'transactionstatus', body: renderStatusQuery(charge, railToken) })
    const known = reply.kind === 'answer' ? judgeQuery(reply.status, reply.body, charge.reference) : null
    return known ?? unanswered('query', reply, clock() - startedMs)
  }

  return {
    code: config.code,
    displayName: config.displayName,
    capabilities: capabilitiesOf(config),
    submitTimeoutMs: client.totalTimeoutMs,
    callsMax: client.callsMax,
    callbacks: true,
    mintReference: mintOrderId,
    submitCharge,
    queryCharge,
    // The operator's Web Payment has no call for either.
    refunds: null,
    accountHolders: null,
    parseCallbackBody,
    parseCallbackQuery,
    close: () => client.close(),
  }
}

function verdictOf(reply: Reply, plainAllowed: boolean): SubmitVerdict {
  // Without a token, the request was never sent.
  if (reply.kind === 'no_token') return { kind: 'not_sent' }
  if (reply.kind === 'fault') return { kind: reply.sent ? 'unknown' : 'not_sent' }
  return judgeSubmit(reply.status, reply.body, plainAllowed)
}

const capabilitiesOf = ({
  settlementCurrency,
  approvalWindowSec = APPROVAL_WINDOW_SEC,
  firstQueryAfterMs = FIRST_QUERY_AFTER_MS,
}: OrangeMoneyConfig): RailAdapter['capabilities'] => ({
  flow: 'redirect',
  settlementCurrency,
  instrument: 'none',
  lostSubmitIsHarmless: true,
  queriedBy: 'token',
  urlCharsMax: URL_CHARS_MAX,
  namedHostsOnly: true,
  approvalWindowMs: approvalWindowSec * 1_000,
  firstQueryAfterMs,
})
