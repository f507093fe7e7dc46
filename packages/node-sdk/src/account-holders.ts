import type { AccountHolders } from './calls.ts'
import type { Send } from './send.ts'

export const createAccountHolders = (send: Send): AccountHolders => ({
  retrieve: (params, options) => send({ method: 'GET', path: '/v1/account_holders', params }, options),
})
