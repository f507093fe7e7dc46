import type { KeyObject } from 'node:crypto'
import type { Refusal } from '@merchant-payments/contract'
import { createGate, type GateLimits } from '@merchant-payments/core'
import { isSignedBy } from './compact-jws.ts'

/**
 * docs/spec-gaps.md, load. Fewer run than the process has threads, four, which also sign the tokens. Fewer wait than there
 * are connections, and an id has a quarter of the queue, so that one flood leaves room for other clients.
 */
const VERIFICATIONS: GateLimits = { running: 3, runningOfOwner: 2, waiting: 1_024, waitingOfOwner: 256 }

/**
 * Verifies signatures a few at a time. The clients that the requests name take turns. So neither forged signatures of one
 * client nor a key that is slow to verify delay the tokens of others.
 *
 * @param shed counts a request for which there is no room, and returns the error to throw
 */
export function createVerifications(shed: () => Refusal, limits = VERIFICATIONS) {
  const gate = createGate(limits)
  return async (clientId: string, key: KeyObject, token: string): Promise<boolean> => {
    if ((await gate.enter(clientId)) !== null) throw shed()
    try {
      return await isSignedBy(key, token)
    } finally {
      gate.leave(clientId)
    }
  }
}
