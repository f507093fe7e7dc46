import type { Refusal } from '@merchant-payments/contract'
import accepts from 'accepts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorHeaders, sendRefusal, setRetryHeaders } from '../http/errors.ts'

/** Policy of pages shown by navigation: nothing in them runs, loads or is framed. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Answers a refused navigation with a page if the client prefers HTML, else with the JSON envelope. */
export function sendPageOrRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: ErrorHeaders,
  refusal: Refusal,
): FastifyReply {
  reply.header('vary', 'accept')
  // `type` returns the first of the two if the client has no preference.
  if (accepts(request.raw).type(['json', 'html']) !== 'html') return sendRefusal(reply, headers, refusal)
  setRetryHeaders(reply, headers, refusal.kind.shouldRetry)
  return reply
    .code(refusal.kind.status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .send(pageOf(refusal, request.id))
}

export function pageOf({ kind, code, message }: Refusal, requestId: string): string {
  const title = escaped(titles[kind.status] ?? 'Something went wrong')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<h1>${title}</h1><p>${escaped(message)}</p>
<p><a href="/dash/v1/sign_in">Sign in</a></p><p><small>${escaped(code)} · ${escaped(requestId)}</small></p></html>\n`
}

const titles: Readonly<Record<number, string>> = {
  400: 'You are not signed in',
  401: 'You are not signed in',
  403: 'No access',
  502: 'The identity provider is unavailable',
  503: 'The service is unavailable',
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
