/** Null unless the address is https, or http outside livemode: payers' browsers are sent there. */
export function parseWebAddress(text: string, livemode: boolean): URL | null {
  const url = URL.parse(text)
  const secure = url?.protocol === 'https:' || (!livemode && url?.protocol === 'http:')
  return secure ? url : null
}
