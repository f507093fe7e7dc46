import type { Rule } from './call.ts'
import { canonicalPhone } from './form.ts'
import { holders, isRail, rails } from './rails.ts'
import { bad, Refused } from './verdict.ts'

/** Spec 2.8. Nothing is stored. */
export const retrieveAccountHolder: Rule = ({ form }) => {
  const code = form.required('payment_method_type')
  const sent = form.required('msisdn')
  if (!isRail(code)) throw bad('payment_method_type')
  const msisdn = canonicalPhone(sent, 'msisdn')
  if (rails[code].flow === 'redirect') throw new Refused('not_supported')
  const holder = holders[msisdn.slice(-3)] ?? 'Sand Box'
  if (holder === 'unavailable') throw new Refused('provider_unavailable')
  const name = holder === 'unknown' ? null : holder
  return {
    object: 'account_holder',
    payment_method_type: code,
    msisdn,
    registered: name !== null,
    name,
    livemode: false,
  }
}
