import { lookup } from 'node:dns/promises'
import { failure } from './failure.ts'
import type { Resolve } from './resolve.ts'

/**
 * Asks getaddrinfo, for one name at a time in the whole process. libuv runs it on at most half of its four
 * threads, so the names of the database and of the identity provider, which have no other way, keep one.
 */
export const askSystem: Resolve = oneAtATime((host) => lookup(host, { all: true, order: 'verbatim' }))

export function oneAtATime(resolve: Resolve): Resolve {
  let last: Promise<unknown> = Promise.resolve()
  return (host, signal) => {
    const answer = last.then(() => {
      if (signal?.aborted === true) throw failure('EAI_AGAIN', host)
      return resolve(host, signal)
    })
    last = answer.catch(() => undefined)
    return answer
  }
}
