import {
  isPaymentsError,
  type MerchantPayments,
  type PaymentIntent,
  type PaymentMethodData,
  type PaymentsError,
} from '@merchant-payments/node-sdk'
import { Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, openConnection, withConnection } from '../connection.ts'
import { exitCodes, Failure } from '../failure.ts'
import { requireHttpUrl } from '../http-url.ts'
import { isDecided, openOutcome, outcomeOf, readConfirmed, waitEnd } from '../outcome.ts'
import { type Output, outputOf } from '../output.ts'

interface Flags extends ConnectionFlags {
  readonly rail: string
  readonly msisdn?: string
  readonly returnUrl?: string
  readonly amount: number
  readonly currency: 'XAF' | 'EUR'
  readonly wait: number
}

const WAIT_SEC = 300

const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export const payCommand = (): Command =>
  withConnection(
    new Command('pay')
      .description('Takes a payment: creates an intent, confirms it, and waits for the outcome.')
      .requiredOption('--rail <code>', 'the rail, such as mtn_momo_cm')
      .option('--msisdn <number>', 'the payer’s number; a push rail needs it')
      .option('--return-url <url>', 'where the payer returns to; a redirect rail needs it')
      .option('--amount <minor-units>', 'in minor units: 2500 of XAF is 2500 francs', wholeNumber, 2_500)
      .option('--currency <code>', 'XAF or EUR', 'XAF')
      .option('--wait <seconds>', 'how long to wait for the outcome', wholeNumber, WAIT_SEC),
  ).action(pay)

async function pay(flags: Flags, command: Command): Promise<void> {
  requireInstrument(flags)
  const { payments } = await openConnection(flags)
  const output = outputOf(command)
  const created = await payments.paymentIntents.create({
    amount: flags.amount,
    currency: flags.currency,
    payment_method_types: [flags.rail],
  })
  output.note(`${created.id} created, ${created.amount} ${created.currency}`)
  const answered = await confirm(payments, created, flags, output)
  try {
    await follow(payments, created.id, answered, flags, output)
  } catch (error) {
    // The confirm was sent, and nobody was told how it ended.
    if (error instanceof Failure && error.exitCode === exitCodes.io)
      throw openOutcome(created.id, error.message)
    throw error
  }
}

/** Waits for the outcome of a confirm and tells it. */
async function follow(
  payments: MerchantPayments,
  id: string,
  answered: PaymentIntent | null,
  flags: Flags,
  output: Output,
): Promise<void> {
  const endsAtMs = waitEnd(flags.wait)
  const confirmed = answered ?? (await readConfirmed(payments, id, endsAtMs))
  const redirect = confirmed.next_action?.redirect_to_url.url
  if (redirect !== undefined) {
    output.note(`The payer pays at ${redirect}`)
    // The outcome comes too late to send the payer there.
    if (flags.wait > 0) await output.record(confirmed)
  }
  if (!isDecided(confirmed) && flags.wait > 0)
    output.note(`Waiting up to ${flags.wait} s for the outcome; --wait changes that.`)
  await report(await outcomeOf(payments, confirmed, endsAtMs), output)
}

/** Before anything is created. Which of the two options the rail needs, only the service knows. */
function requireInstrument({ rail, msisdn, returnUrl }: Flags): void {
  if (msisdn === undefined && returnUrl === undefined) {
    throw new Failure(`${rail} needs --msisdn or --return-url`, exitCodes.usage, [
      'on a push rail, give --msisdn: the payer’s number',
      'on a rail that sends the payer to a page, give --return-url, to which the payer comes back',
    ])
  }
  // The service decides about the spelling (spec 2.2), and takes digits of other scripts.
  if (msisdn !== undefined && !/\p{Nd}/u.test(msisdn.normalize('NFKC'))) {
    throw new Failure(`--msisdn must be a phone number: ${msisdn}`, exitCodes.usage, [
      'write it with its country code, such as +237 6 70 00 00 01',
    ])
  }
  if (returnUrl !== undefined) requireHttpUrl('--return-url', returnUrl)
}

/** The intent after the confirm; null if a charge may be live although the confirm failed. */
async function confirm(
  payments: MerchantPayments,
  { id }: PaymentIntent,
  flags: Flags,
  output: Output,
): Promise<PaymentIntent | null> {
  try {
    const confirmed = await payments.paymentIntents.confirm(id, {
      payment_method_data: instrumentOf(flags),
      ...(flags.returnUrl !== undefined && { return_url: flags.returnUrl }),
    })
    if (confirmed.next_action === null) output.note('The payer approves on the handset.')
    return confirmed
  } catch (error) {
    if (!isPaymentsError(error) || isRefusal(error)) throw error
    output.note(
      error.code === 'charge_in_progress'
        ? 'The answer of the rail was lost. The service asks the rail for the result.'
        : `The answer to the confirm was lost: ${error.message}`,
    )
    return null
  }
}

/** Statuses by which the service says that a confirm made no charge, in an answer that it keeps under its key. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 403, 404, 501])

const isRefusal = ({ status, code, shouldRetry }: PaymentsError): boolean =>
  refusals.has(status) && code !== undefined && !shouldRetry

const instrumentOf = ({ rail, msisdn }: Flags): PaymentMethodData => ({
  [rail]: msisdn === undefined ? null : { msisdn },
})

async function report(intent: PaymentIntent, output: Output): Promise<void> {
  const { id, status, last_payment_error: error } = intent
  const reason = error === null ? '' : `: ${error.code}, the rail says ${error.decline_code ?? 'nothing'}`
  await output.print(intent, `${id} ${status}${reason}`)
  if (status === 'succeeded') return
  if (isDecided(intent)) throw new Failure('the payment was not made', exitCodes.negative)
  throw openOutcome(id, `it is ${status} after the wait; --wait makes the wait longer`)
}
