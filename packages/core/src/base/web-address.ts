/** Parses an address to which a payer's browser may be sent: https, or http outside livemode. Null for any other. */
export function parseWebAddress(text: string, livemode: boolean): URL | null {
  const url = URL.parse(text)
  const secure = url?.protocol === 'https:' || (!livemode && url?.protocol === 'http:')
  return secure ? url : null
}
