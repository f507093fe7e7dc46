import { webAddress } from '@merchant-payments/contract'
import { z } from 'zod'

export const calledUrl = z.string().superRefine((text, ctx) => {
  const url = URL.parse(text)
  const fault = url === null ? 'must be a URL' : faultOf(url, text)
  if (fault !== null) ctx.addIssue(fault)
})

/**
 * Our own address. Tokens' issuer and audiences are compared with it as strings, so only the canonical
 * spelling without path and trailing slash is accepted.
 */
export const ownOrigin = z.string().superRefine((text, ctx) => {
  const url = URL.parse(text)
  if (url === null || url.origin !== text) {
    ctx.addIssue(
      'must be a scheme and a host, such as https://pay.example, without a path or a trailing slash',
    )
  } else if (!isWeb(url)) ctx.addIssue('must be http or https')
})

const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

function faultOf(url: URL, text: string): string | null {
  if (!isWeb(url)) return 'must be http or https'
  if (!webAddress.test(text)) return 'must have // after its scheme, and no spaces or backslashes'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  return url.hash === '' ? null : 'must not contain a fragment'
}
