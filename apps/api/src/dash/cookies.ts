import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * The `__Host-` prefix keeps other hosts and plain HTTP from setting the cookie. Browsers treat localhost as secure.
 */
export const SESSION_COOKIE = '__Host-staff_session'
export const SIGN_IN_COOKIE = '__Host-staff_sign_in'
/** Set by a change: until it ends, its author reads from the primary. */
export const CHANGED_COOKIE = '__Host-staff_changed'

/** Value of one of our cookies: it needs neither quotes nor encoding. */
const value = /^[A-Za-z0-9._-]{1,2048}$/

/** Lets the routes of a scope read and set cookies. */
export const useCookies = (scope: FastifyInstance): void => void scope.register(cookie)

export function cookieOf({ cookies }: FastifyRequest, name: string): string | null {
  const text = cookies[name]
  return text !== undefined && value.test(text) ? text : null
}

export const setCookie = (reply: FastifyReply, name: string, text: string, maxAgeSec: number): FastifyReply =>
  reply.setCookie(name, text, { path: '/', maxAge: maxAgeSec, httpOnly: true, secure: true, sameSite: 'lax' })

export const clearCookie = (reply: FastifyReply, name: string): FastifyReply => setCookie(reply, name, '', 0)
