import { z } from 'zod'

/** Spec 6.3.11: a live host with one of these in its name is a test set-up that was left in the configuration. */
const testHostWords = ['wiremock', 'stub', 'mock', 'localhost']

/** An address that the service calls: a merchant's endpoint, or a rail. */
export const calledUrl = (livemode: boolean) =>
  z.string().superRefine((text, ctx) => {
    const url = URL.parse(text)
    const fault = url === null ? 'must be a URL' : (plainFault(url) ?? (livemode ? liveFault(url) : null))
    if (fault !== null) ctx.addIssue(fault)
  })

/**
 * Our own address, as clients spell it: the issuer and the audiences of tokens are compared with it as strings, so only
 * the one canonical spelling will do, and a path or a trailing slash never will.
 */
export const ownOrigin = (livemode: boolean) =>
  z.string().superRefine((text, ctx) => {
    const url = URL.parse(text)
    if (url === null || url.origin !== text) {
      ctx.addIssue(
        'must be a scheme and a host, such as https://pay.example, without a path or a trailing slash',
      )
    } else if (!isWeb(url)) ctx.addIssue('must be http or https')
    else if (livemode && url.protocol !== 'https:') ctx.addIssue('must be https in livemode')
  })

const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

function plainFault(url: URL): string | null {
  if (!isWeb(url)) return 'must be http or https'
  if (url.username !== '' || url.password !== '') return 'must not hold credentials'
  return url.hash === '' ? null : 'must not hold a fragment'
}

function liveFault(url: URL): string | null {
  if (url.protocol !== 'https:') return 'must be https in livemode'
  const word = testHostWords.find((candidate) => url.hostname.includes(candidate))
  return word === undefined ? null : `must not have a host with "${word}" in its name in livemode`
}
