import { randomBytes, randomUUID } from 'node:crypto'
import { createBoundedMap } from '../bounded.ts'
import type { MockClock } from '../clock.ts'
import type { SettingsStore } from '../settings.ts'
import { decodeBasic } from '../wire/basic.ts'

/** Each product has its own subscription keys and tokens. */
export type Product = 'collection' | 'disbursement'

export type ApiUser = {
  readonly id: string
  readonly apiKey: string | null
  readonly callbackHost: string | null
}

export type Credentials = {
  readonly findUser: (id: string) => ApiUser | undefined
  readonly addUser: (id: string, callbackHost: string) => void
  readonly rotateKey: (user: ApiUser) => string
  readonly login: (basic: string | null) => ApiUser | undefined
  readonly issueToken: (user: ApiUser, product: Product) => string
  readonly userOfToken: (bearer: string | null, product: Product) => ApiUser | undefined
  readonly revokeTokens: () => void
  readonly clear: () => void
}

type Token = { readonly userId: string; readonly product: Product; readonly expiresAtMs: number }

const MAX_API_USERS = 1_000
const MAX_TOKENS = 10_000

export function createCredentials(deps: { clock: MockClock; settings: SettingsStore }): Credentials {
  const users = createBoundedMap<string, ApiUser>(MAX_API_USERS)
  const tokens = createBoundedMap<string, Token>(MAX_TOKENS)

  function findUser(id: string): ApiUser | undefined {
    const { apiUser, apiKey, providerCallbackHost } = deps.settings.mtn()
    return id === apiUser ? { id, apiKey, callbackHost: providerCallbackHost } : users.get(id)
  }

  return {
    findUser,
    addUser: (id, callbackHost) => users.set(id, { id, apiKey: null, callbackHost }),
    rotateKey: (user) => {
      const apiKey = randomBytes(16).toString('hex')
      if (user.id === deps.settings.mtn().apiUser) deps.settings.patch({ mtn: { apiKey } })
      else users.set(user.id, { ...user, apiKey })
      return apiKey
    },
    login: (basic) => {
      const [id, key] = decodeBasic(basic)
      const user = findUser(id)
      return user !== undefined && user.apiKey === key ? user : undefined
    },
    issueToken: (user, product) => {
      const expiresAtMs = deps.clock.now() + deps.settings.mtn().tokenTtlSec * 1000
      const token = mintToken(user.id, expiresAtMs)
      tokens.set(token, { userId: user.id, product, expiresAtMs })
      return token
    },
    userOfToken: (bearer, product) => {
      if (!bearer?.startsWith('Bearer ')) return undefined
      const token = tokens.get(bearer.slice('Bearer '.length))
      if (token?.product !== product || token.expiresAtMs <= deps.clock.now()) return undefined
      return findUser(token.userId)
    },
    revokeTokens: tokens.clear,
    clear: () => {
      users.clear()
      tokens.clear()
    },
  }
}

/** Looks like MTN's JWT, for clients that decode it. Only the table of tokens decides whether it is valid. */
function mintToken(clientId: string, expiresAtMs: number): string {
  const header = { typ: 'JWT', alg: 'R256' }
  const payload = { clientId, expires: new Date(expiresAtMs).toISOString(), sessionId: randomUUID() }
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, randomBytes(32).toString('base64url')].join('.')
}
