import { Refusal } from '@merchant-payments/contract'
import type { Deployment, Deps } from '../deps.ts'
import { parseId } from '../base/ids.ts'
import { type Msisdn, parseMsisdn } from '../base/phone.ts'
import { takesHost, takesUrl } from '../rails/addresses.ts'
import type { Locale, RailAdapter, RailCode } from '../rails/port.ts'
import { noWebAddress, parseWebAddress } from '../base/web-address.ts'
import { noCustomerOfBody } from '../commit/create-once.ts'

export interface ConfirmParams {
  readonly paymentMethodData: Readonly<Record<string, unknown>>
  readonly customer: string | null
  readonly returnUrl: string | null
  readonly locale: Locale | null
}

export interface Instrument {
  readonly rail: RailAdapter
  readonly payer: Msisdn | null
  readonly returnUrl: string | null
}

interface InstrumentDeps extends Pick<Deps, 'rails'> {
  readonly deployment: Pick<Deployment, 'livemode' | 'defaultCountryCode'>
}

/**
 * `payment_method_data[<rail_code>][msisdn]`, with exactly one rail. `[type]`, if sent, must name the same rail. Sent
 * alone, it selects a rail without further fields.
 */
export function parseInstrument(
  { rails, deployment }: InstrumentDeps,
  { paymentMethodData, customer, returnUrl }: ConfirmParams,
): Instrument | Refusal {
  const { type } = paymentMethodData
  const named = Object.keys(paymentMethodData).filter((key) => key !== 'type')
  const [code, ...more] = named.length === 0 && typeof type === 'string' && type !== '' ? [type] : named
  if (code === undefined || more.length > 0) {
    return invalid(
      'must name exactly one rail, as payment_method_data[<rail_code>][msisdn]',
      'payment_method_data',
    )
  }
  const param = `payment_method_data[${code}]`
  const rail = rails.get(code as RailCode)
  if (rail === undefined) return invalid('is not a rail that this deployment enables', param)
  if (type !== undefined && type !== code) return invalid(`must be ${code}`, 'payment_method_data[type]')
  try {
    const payer = parsePayer(rail, paymentMethodData[code], deployment.defaultCountryCode, param)
    const instrument = { rail, payer, returnUrl: parseReturnUrl(rail, returnUrl, deployment.livemode) }
    // Last, where an unknown id is refused too: spec 4.3.5 asks for one answer.
    return customer !== null && parseId('cus', customer) === null ? noCustomerOfBody() : instrument
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function parsePayer(
  rail: RailAdapter,
  instrument: unknown,
  countryCode: string,
  param: string,
): Msisdn | null {
  const fields = typeof instrument === 'object' && instrument !== null ? instrument : {}
  const msisdn: unknown = 'msisdn' in fields ? fields.msisdn : undefined
  if (msisdn === undefined || msisdn === '') {
    if (rail.capabilities.instrument === 'none') return null
    throw invalid('is required', `${param}[msisdn]`)
  }
  if (typeof msisdn !== 'string') throw invalid('must be a string', `${param}[msisdn]`)
  return parseMsisdn(msisdn, countryCode, `${param}[msisdn]`)
}

function parseReturnUrl(rail: RailAdapter, text: string | null, livemode: boolean): string | null {
  const { flow, urlCharsMax } = rail.capabilities
  if (flow === 'push') return null
  if (text === null) throw invalid('is required on a rail that redirects the payer', 'return_url')
  const url = parseWebAddress(text, livemode)
  if (url === null) throw noWebAddress('return_url')
  // Testmode accepts any host, as the mock rail does: a shop under development runs on localhost.
  if (livemode && !takesHost(rail, url)) {
    throw invalid(
      'must have the name of a public host on this rail, no IP address and not localhost',
      'return_url',
    )
  }
  if (!takesUrl(rail, url.href)) {
    throw invalid(`must be at most ${urlCharsMax} characters on this rail`, 'return_url')
  }
  return url.href
}

const invalid = (message: string, param: string) => new Refusal('invalid_request', message, { param })
