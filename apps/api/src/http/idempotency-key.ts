import type { IncomingMessage } from 'node:http'
import { Refusal } from '@merchant-payments/contract'
import { fingerprintOf, type KeyClaim } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import { pathOf } from './paths.ts'

/** 1 to 255 printable ASCII bytes (spec 8). */
const printable = /^[\x20-\x7e]{1,255}$/

/** @throws Refusal invalid_request naming idempotency_key */
export function keyOf({ headers, raw }: FastifyRequest): string {
  const key = headers['idempotency-key']
  if (typeof key === 'string' && printable.test(key) && !isJoined(key, raw)) return key
  throw new Refusal(
    'invalid_request',
    'The Idempotency-Key header must be sent once, with 1 to 255 printable ASCII characters.',
    { param: 'idempotency_key' },
  )
}

/** Node joins a repeated header to a third key. A retry that sends the header once would then run again. */
const isJoined = (key: string, request: IncomingMessage): boolean =>
  key.includes(', ') && request.headersDistinct['idempotency-key']?.length !== 1

/** @throws Refusal invalid_request naming idempotency_key */
export function claimOf(
  request: FastifyRequest,
  { merchantId, scope, okStatus }: Pick<KeyClaim, 'merchantId' | 'scope' | 'okStatus'>,
  body: Uint8Array,
): KeyClaim {
  return {
    merchantId,
    scope,
    key: keyOf(request),
    fingerprint: fingerprintOf(request.method, pathOf(request.url), body),
    requestId: request.id,
    okStatus,
  }
}
