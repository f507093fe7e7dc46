import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { type Msisdn, parseMsisdn } from '../base/phone.ts'
import type { RailAdapter, RailCode } from '../rails/port.ts'

export interface Destination {
  readonly rail: RailAdapter
  readonly msisdn: Msisdn
}

/** Spec 4.2: required also on a rail that cannot pay out. @throws Refusal invalid_request */
export function parseDestination(
  { rails, deployment }: Pick<Deps, 'rails' | 'deployment'>,
  destination: Readonly<Record<string, unknown>>,
): Destination {
  const [code, ...others] = Object.keys(destination)
  if (code === undefined || others.length > 0) {
    throw wrongDestination('must name exactly one rail, as destination[<rail_code>][msisdn]')
  }
  const rail = rails.get(code as RailCode)
  if (rail === undefined) throw wrongDestination('is not a rail that this deployment enables')
  const account = destination[code]
  const param = `destination[${code}][msisdn]`
  const msisdn: unknown =
    typeof account === 'object' && account !== null && 'msisdn' in account ? account.msisdn : undefined
  if (typeof msisdn !== 'string' || msisdn === '') {
    throw new Refusal('invalid_request', 'is required', { param })
  }
  return { rail, msisdn: parseMsisdn(msisdn, deployment.defaultCountryCode, param) }
}

export const wrongDestination = (message: string) =>
  new Refusal('invalid_request', message, { param: 'destination' })
