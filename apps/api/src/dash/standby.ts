import type { Operation } from '@merchant-payments/contract'
import { isOfStandby, type Reader, type Standby, STANDBY_LAG_MAX_MS } from '@merchant-payments/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { withHandlers } from '../http/operations.ts'
import { CHANGED_COOKIE, cookieOf, setCookie } from './cookies.ts'
import type { HandlerDeps, Read } from './handlers.ts'
import { handlersOf } from './nouns/index.ts'

/** Longer than the greatest lag of a standby that is used, so that nobody misses a change of their own. */
const CHANGED_SEC = STANDBY_LAG_MAX_MS / 1_000 + 10

/** The age in seconds of what a standby answered. The dashboard shows it. */
const LAG_HEADER = 'staff-read-lag'

export interface StandbyDeps extends HandlerDeps {
  /** Absent if staff read from the primary. */
  readonly standby?: Standby | undefined
}

/** Makes the author of a change read from the primary until the standby has it, in every process of the api. */
export const noteChange = (reply: FastifyReply): FastifyReply =>
  setCookie(reply, CHANGED_COOKIE, 'yes', CHANGED_SEC)

const hasChanged = (request: FastifyRequest): boolean => cookieOf(request, CHANGED_COOKIE) !== null

/**
 * The staff's reads over the standby, if one is configured and may be used. What they write, such as the entry of a
 * look-up, and what they must find at once, such as their session, stays at the primary.
 */
export function readsOf(deps: StandbyDeps) {
  const { standby } = deps
  if (standby === undefined) {
    return { ofOperation: (_: Operation, atPrimary: Read) => atPrimary, listsFor: () => deps.db.lists }
  }
  const { reader, lists } = standby.reads
  const db = { ...deps.db, reader, lists }
  const atStandby = new Map<Operation, Read>(
    withHandlers('dash', handlersOf({ ...deps, db })).flatMap(({ operation, handler }) =>
      operation.isRead === true ? [[operation, handler as Read] as const] : [],
    ),
  )
  const usesStandby = (request: FastifyRequest) => standby.isUsable() && !hasChanged(request)
  return {
    /** The same operation, whose statements read from the standby. */
    ofOperation: (operation: Operation, atPrimary: Read): Read => {
      const read = atStandby.get(operation)
      return async (question) => {
        const { request, reply } = question
        if (read === undefined || !usesStandby(request)) return atPrimary(question)
        try {
          const answer = await read(question)
          reply.header(LAG_HEADER, Math.ceil((standby.lagMs() ?? 0) / 1_000))
          return answer
        } catch (error) {
          if (!isOfStandby(error)) throw error
          standby.leave()
          return atPrimary(question)
        }
      }
    },
    /** For the parts of a file. */
    listsFor: (request: FastifyRequest): Reader => (usesStandby(request) ? lists : deps.db.lists),
  }
}
