import { Refusal, webAddress } from '@merchant-payments/contract'

/** Null unless the address is https, or http outside livemode: payers' browsers are sent there. */
export function parseWebAddress(text: string, livemode: boolean): URL | null {
  const url = webAddress.test(text) ? URL.parse(text) : null
  const secure = url?.protocol === 'https:' || (!livemode && url?.protocol === 'http:')
  return secure ? url : null
}

export const noWebAddress = (param: string) =>
  new Refusal(
    'invalid_request',
    'must be an https address, with https:// and without spaces or backslashes',
    {
      param,
    },
  )
