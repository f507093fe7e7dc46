import type { MerchantId } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'

const caller = Symbol('caller')
const staff = Symbol('staff')

/** The staff member and the object of a request. */
interface StaffCall {
  readonly staff: string
  readonly object: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    [caller]?: MerchantId | undefined
    [staff]?: StaffCall | undefined
  }
}

/** Records for the log line the merchant whose token or key was sent. */
export const noteCaller = (request: FastifyRequest, merchantId: MerchantId | undefined): void => {
  request[caller] = merchantId
}

export const callerOf = (request: FastifyRequest): string | null => request[caller] ?? null

const objectId = /^[a-z]{2,3}_[0-9a-f]{32}$/

/** Records for the log line the staff member, and the id in the path if it has the form of one. */
export const noteStaff = (request: FastifyRequest, subject: string): void => {
  const { id } = request.params as { readonly id?: string }
  request[staff] = { staff: subject, object: id !== undefined && objectId.test(id) ? id : null }
}

export const staffCallOf = (request: FastifyRequest): StaffCall | undefined => request[staff]
