import type { FastifyReply, FastifyRequest } from 'fastify'

/** The prefix lets no other host and no plain-text answer set them; browsers take localhost for secure. */
export const SESSION_COOKIE = '__Host-staff_session'
export const SIGN_IN_COOKIE = '__Host-staff_sign_in'

/** What a cookie may hold, so that none needs quoting. */
const value = /^[A-Za-z0-9._-]{1,2048}$/

export function cookieOf({ headers }: FastifyRequest, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at).trim() !== name) continue
    const text = pair.slice(at + 1).trim()
    return value.test(text) ? text : null
  }
  return null
}

export const setCookie = (reply: FastifyReply, name: string, text: string, maxAgeSec: number): FastifyReply =>
  reply.header('set-cookie', `${name}=${text}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; Secure; SameSite=Lax`)

export const clearCookie = (reply: FastifyReply, name: string): FastifyReply => setCookie(reply, name, '', 0)
