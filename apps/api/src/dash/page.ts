import type { Refusal } from '@merchant-payments/contract'
import type { FastifyReply } from 'fastify'

/** Of an answer that a browser shows by itself: nothing in it runs, loads or is framed. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A refusal for a person: somebody who signs in has navigated here, and reads no JSON. */
export function sendPage(reply: FastifyReply, refusal: Refusal, requestId: string): FastifyReply {
  const title = titles[refusal.kind.status] ?? 'Something went wrong'
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<h1>${title}</h1><p>${escaped(refusal.message)}</p>
<p><a href="/dash/v1/sign_in">Sign in</a></p><p><small>${refusal.code} · ${requestId}</small></p></html>\n`
  return reply
    .code(refusal.kind.status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .send(body)
}

const titles: Readonly<Record<number, string>> = {
  400: 'You are not signed in',
  403: 'No access',
  502: 'The identity provider is away',
  503: 'The service is away',
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
