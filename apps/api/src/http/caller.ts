import type { MerchantId } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'

const caller = Symbol('caller')

declare module 'fastify' {
  interface FastifyRequest {
    [caller]?: MerchantId | undefined
  }
}

/** For the log line: the merchant whose token or key was shown. */
export const noteCaller = (request: FastifyRequest, merchantId: MerchantId | undefined): void => {
  request[caller] = merchantId
}

export const callerOf = (request: FastifyRequest): string | null => request[caller] ?? null
