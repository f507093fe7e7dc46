import type { Clock, Credentials } from '@merchant-payments/core'
import { LRUCache } from 'lru-cache'

/** About 4 MB. */
const LINKS_MAX = 20_000
/** A request may end without telling what its link opens. The next one asks again after this time. */
const ASKED_MS = 1_000

type Knowledge = 'opens' | 'opens_nothing' | { readonly askedAtMs: number }

/** What this process has learnt of links, each with the publishable key that it came with. */
export interface Links {
  /** Whether a request with this link is one of the merchant's payers, for all that is known. */
  readonly isPayers: (credentials: Credentials) => boolean
  readonly learn: (credentials: Credentials, opened: boolean) => void
}

/**
 * A derived secret shows that this deployment made the link, and only a statement shows for which merchant: a link
 * can come with the publishable key of another. So one request a second of an unknown link counts to the merchant of
 * the key. Once the link has opened something all requests do, and once it has opened nothing none does.
 */
export function rememberLinks(clock: Clock): Links {
  const links = new LRUCache<string, Knowledge>({ max: LINKS_MAX })
  return {
    isPayers: (credentials) => {
      const link = nameOf(credentials)
      const known = links.get(link)
      if (typeof known === 'string') return known === 'opens'
      const nowMs = clock()
      const asks = known === undefined || nowMs - known.askedAtMs >= ASKED_MS
      if (asks) links.set(link, { askedAtMs: nowMs })
      return asks
    },
    learn: (credentials, opened) => void links.set(nameOf(credentials), opened ? 'opens' : 'opens_nothing'),
  }
}

/** Without the secret itself, which the id determines. */
const nameOf = ({ publishableKey, clientSecret }: Credentials): string =>
  `${publishableKey} ${clientSecret.split('_secret_')[0]}`
