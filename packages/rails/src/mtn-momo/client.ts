import type { RailEvidence } from '@merchant-payments/core'
import type { RailHttp, RailRequest } from '../exchange.ts'
import { type RailAnswer, readAnswer } from './codec.ts'
import type { ProductCredentials } from './config.ts'
import { createTokenCache, type Grant, type NoToken } from './token.ts'

/** What one call came to. Without a token nothing was called. */
export type Reply = RailAnswer | NoToken

export interface Product {
  /** Never rejects. After a 401, which proves that nothing was done, it sends the same once more with a fresh token. */
  call(request: RailRequest): Promise<Reply>
}

export type ProductName = 'collection' | 'disbursement'

interface ProductOptions {
  readonly http: RailHttp
  readonly name: ProductName
  readonly credentials: ProductCredentials
  readonly targetEnvironment: string
  readonly mintTimeoutMs: number
  readonly clock: () => number
}

export function openProduct(options: ProductOptions): Product {
  const { http, name, targetEnvironment } = options
  const tokens = createTokenCache(options)

  async function send(request: RailRequest, grant: Grant): Promise<RailAnswer> {
    const headers = {
      ...request.headers,
      Authorization: `Bearer ${grant.token}`,
      'Ocp-Apim-Subscription-Key': grant.subscriptionKey,
      'X-Target-Environment': targetEnvironment,
    }
    return readAnswer(await http.exchange({ ...request, path: `/${name}/v1_0${request.path}`, headers }))
  }

  return {
    async call(request) {
      const grant = await tokens.get(request.signal)
      if (grant.kind === 'no_token') return grant
      const answer = await send(request, grant)
      if (answer.kind === 'fault' || answer.status !== 401) return answer
      tokens.drop(grant)
      const fresh = await tokens.get(request.signal)
      return fresh.kind === 'no_token' ? fresh : send(request, fresh)
    },
  }
}

/** A missing token is evidence about the token, whatever it was wanted for. */
export function evidenceOf(wanted: RailEvidence['operation'], reply: Reply, elapsedMs: number): RailEvidence {
  const [operation, end] = reply.kind === 'no_token' ? (['token', reply.cause] as const) : [wanted, reply]
  return end.kind === 'fault'
    ? { operation, httpStatus: null, railCode: null, errno: end.errno, elapsedMs }
    : {
        operation,
        httpStatus: end.status,
        railCode: plainWord(end.body?.code ?? end.body?.error),
        errno: null,
        elapsedMs,
      }
}

/** Only a plain word may be logged: a rail's free text can hold a number or a name. */
const plainWord = (code: unknown): string | null =>
  typeof code === 'string' && /^[A-Za-z_]{1,64}$/.test(code) ? code : null
