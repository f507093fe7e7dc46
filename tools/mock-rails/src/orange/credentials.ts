import { randomBytes } from 'node:crypto'
import { createBoundedMap } from '../bounded.ts'
import type { MockClock } from '../clock.ts'
import type { SettingsStore } from '../settings.ts'
import { decodeBasic } from '../wire/basic.ts'

export type OrangeCredentials = {
  readonly isClient: (basic: string | null) => boolean
  readonly issueToken: () => string
  readonly standingOf: (bearer: string) => 'good' | 'expired' | 'unknown'
  readonly revokeTokens: () => void
}

const MAX_TOKENS = 10_000

export function createCredentials(deps: { clock: MockClock; settings: SettingsStore }): OrangeCredentials {
  const expiries = createBoundedMap<string, number>(MAX_TOKENS)
  return {
    isClient: (basic) => {
      const { clientId, clientSecret } = deps.settings.orange()
      const [id, secret] = decodeBasic(basic)
      return id === clientId && secret === clientSecret
    },
    issueToken: () => {
      const token = randomBytes(32).toString('base64url')
      expiries.set(token, deps.clock.now() + deps.settings.orange().tokenTtlSec * 1000)
      return token
    },
    standingOf: (bearer) => {
      const expiresAtMs = expiries.get(bearer)
      if (expiresAtMs === undefined) return 'unknown'
      return expiresAtMs > deps.clock.now() ? 'good' : 'expired'
    },
    revokeTokens: expiries.clear,
  }
}
