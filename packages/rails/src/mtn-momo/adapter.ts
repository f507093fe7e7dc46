import { randomUUID } from 'node:crypto'
import type {
  AccountHolderOutcome,
  HolderLookup,
  RailAdapter,
  RailRefunds,
  SubmitCharge,
  SubmitOutcome,
} from '@merchant-payments/core'
import { railText } from '../answer.ts'
import { evidenceOf } from '../evidence.ts'
import { callsMaxOf, openRailHttp, type RailHttp } from '../exchange.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type OpenProduct, openProduct, type Product, type ProductName } from './client.ts'
import { type Money, parseCallbackBody, parseCallbackQuery, renderCharge, renderRefund } from './codec.ts'
import type { MtnMomoConfig, ProductCredentials } from './config.ts'
import { isWalletNotFound, type Purpose } from './errors.ts'
import { openTransactions } from './transactions.ts'

const CONNECT_TIMEOUT_MS = 5_000
const TOTAL_TIMEOUT_MS = 20_000
/** Connections for one kind of call. */
const MAX_CONNECTIONS = 64
/** The same for the tokens of a product, and for look-ups of account holders. */
const MAX_TOKEN_CONNECTIONS = 2
const MAX_LOOKUP_CONNECTIONS = 16
/** Room for the bursts that the service allows to a merchant and to its payers: 50 look-ups each. */
const WAITING_LOOKUPS_SHARE = 3 / 4
const FIRST_QUERY_AFTER_MS = 2_000

const APPROVAL_WINDOW_SEC = 5 * 60

/** Capabilities require a number, so this is a fault of the caller. Nobody can be prompted. */
const noPayer: SubmitOutcome = {
  kind: 'not_sent',
  evidence: { operation: 'submit', httpStatus: null, railCode: null, errno: 'NO_PAYER', elapsedMs: 0 },
}

/** Opens connections for each kind of call, and closes them all. */
function openConnections({
  baseUrl,
  connectTimeoutMs,
  totalTimeoutMs = TOTAL_TIMEOUT_MS,
  maxConnections = MAX_CONNECTIONS,
  clock,
}: MtnMomoConfig) {
  const opened: RailHttp[] = []
  return {
    connect: (max = MAX_CONNECTIONS, waitingShareOfOwner?: number): RailHttp => {
      const http = openRailHttp({
        baseUrl,
        connectTimeoutMs: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
        totalTimeoutMs,
        maxConnections: Math.min(max, maxConnections),
        clock,
        ...(waitingShareOfOwner !== undefined && { waitingShareOfOwner }),
      })
      opened.push(http)
      return http
    },
    close: async (): Promise<void> => {
      await Promise.all(opened.map((http) => http.close()))
    },
  }
}

/** MTN Mobile Money: a push rail. It identifies a charge by the reference that we mint. */
export function createMtnMomo(config: MtnMomoConfig): RailAdapter {
  const { clock, targetEnvironment, settlementCurrency, wireCurrency, disbursement } = config
  const totalTimeoutMs = config.totalTimeoutMs ?? TOTAL_TIMEOUT_MS
  const money: Money = { settlementCurrency, wireCurrency }
  const { connect, close } = openConnections(config)

  const open = (name: ProductName, credentials: ProductCredentials) =>
    openProduct({
      http: connect(MAX_TOKEN_CONNECTIONS),
      name,
      credentials,
      targetEnvironment,
      mintTimeoutMs: totalTimeoutMs,
      clock,
    })
  const transactions = (product: OpenProduct, purpose: Purpose) => {
    const [submits, queries] = [product.over(connect()), product.over(connect())]
    return openTransactions({ submits, queries, purpose, money, totalTimeoutMs, clock })
  }

  const collection = open('collection', config.collection)
  const charges = transactions(collection, 'charge')
  const holders = collection.over(connect(MAX_LOOKUP_CONNECTIONS, WAITING_LOOKUPS_SHARE))
  const asking = { clock, totalTimeoutMs }

  async function submitCharge(charge: SubmitCharge): Promise<SubmitOutcome> {
    if (charge.payer === null) return noPayer
    const outcome = await charges.submit(charge, renderCharge(charge, money), charge.callbackUrl)
    // The charge fails and is still queried for 48 hours: a late success pays its intent.
    if (outcome.kind === 'refusal_unconfirmed') return { kind: 'declined', decline: outcome.decline }
    if (outcome.kind === 'held_back') return { ...outcome, kind: 'not_sent' }
    if (outcome.kind !== 'accepted') return outcome
    return { ...outcome, railToken: null, callbackSecret: null, redirectUrl: null }
  }

  function openRefunds(credentials: ProductCredentials): RailRefunds {
    const transfers = transactions(open('disbursement', credentials), 'refund')
    return {
      dedupes: true,
      submitRefund: (refund) => transfers.submit(refund, renderRefund(refund, money), null),
      queryRefund: (reference) => transfers.query(reference),
    }
  }

  return {
    code: config.code,
    displayName: config.displayName,
    capabilities: {
      flow: 'push',
      settlementCurrency,
      instrument: 'msisdn',
      lostSubmitIsHarmless: false,
      queriedBy: 'reference',
      approvalWindowMs: (config.approvalWindowSec ?? APPROVAL_WINDOW_SEC) * 1_000,
      firstQueryAfterMs: config.firstQueryAfterMs ?? FIRST_QUERY_AFTER_MS,
    },
    submitTimeoutMs: charges.submitTimeoutMs,
    callsMax: callsMaxOf(config.maxConnections ?? MAX_CONNECTIONS),
    callbacks: config.callbacks ?? true,
    mintReference: () => randomUUID(),
    submitCharge,
    queryCharge: ({ reference }) => charges.query(reference),
    refunds: disbursement === null ? null : openRefunds(disbursement),
    accountHolders: { findAccountHolder: (lookup) => findAccountHolder(holders, lookup, asking) },
    parseCallbackBody,
    parseCallbackQuery,
    close,
  }
}

function findAccountHolder(
  holders: Product,
  { merchantId: owner, msisdn }: HolderLookup,
  { clock, totalTimeoutMs }: { clock: MtnMomoConfig['clock']; totalTimeoutMs: number },
): Promise<AccountHolderOutcome> {
  const startedMs = clock()
  return withTimeLimit(totalTimeoutMs, async (signal) => {
    const ask = (what: string) =>
      holders.call({
        method: 'GET',
        path: `/accountholder/msisdn/${msisdn}/${what}`,
        headers: {},
        owner,
        signal,
      })
    const active = await ask('active')
    if (active.kind === 'answer' && isWalletNotFound(active.status, active.body)) return { kind: 'not_found' }
    const isActive = active.kind === 'answer' && active.status === 200 ? active.body?.result : undefined
    if (typeof isActive !== 'boolean') {
      return { kind: 'unavailable', evidence: evidenceOf('lookup', active, clock() - startedMs) }
    }
    // The answer also holds a birth date and more: only the name leaves this function.
    const info = await ask('basicuserinfo')
    const name = info.kind === 'answer' && info.status === 200 ? railText(info.body?.name) : null
    return { kind: 'found', name, active: isActive }
  })
}
