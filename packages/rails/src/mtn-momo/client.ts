import { type RailAnswer, readAnswer } from '../answer.ts'
import type { RailHttp, RailRequest } from '../exchange.ts'
import type { Reply } from '../tokens.ts'
import type { ProductCredentials } from './config.ts'
import { openProductTokens, type ProductGrant } from './token.ts'

export interface Product {
  call(request: RailRequest): Promise<Reply>
}

/** A product with its tokens, to be called over connections of one kind. */
export interface OpenProduct {
  over(http: RailHttp): Product
}

export type ProductName = 'collection' | 'disbursement'

interface ProductOptions {
  /** For its tokens. */
  readonly http: RailHttp
  readonly name: ProductName
  readonly credentials: ProductCredentials
  readonly targetEnvironment: string
  readonly mintTimeoutMs: number
  readonly clock: () => number
}

export function openProduct(options: ProductOptions): OpenProduct {
  const { name, targetEnvironment } = options
  const tokens = openProductTokens(options)

  async function send(http: RailHttp, request: RailRequest, grant: ProductGrant): Promise<RailAnswer> {
    const headers = {
      ...request.headers,
      Authorization: `Bearer ${grant.token}`,
      'Ocp-Apim-Subscription-Key': grant.subscriptionKey,
      'X-Target-Environment': targetEnvironment,
    }
    return readAnswer(await http.exchange({ ...request, path: `/${name}/v1_0${request.path}`, headers }))
  }

  return {
    over: (http) => ({
      call: (request) => tokens.call(request.signal, (grant) => send(http, request, grant)),
    }),
  }
}
