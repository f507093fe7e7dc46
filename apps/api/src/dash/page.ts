import { createHash } from 'node:crypto'
import type { Refusal } from '@merchant-payments/contract'
import accepts from 'accepts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorHeaders, sendRefusal, setRetryHeaders } from '../http/errors.ts'

/** Makes these pages look like the dashboard's own sign-in. */
const STYLE = `
  :root {
    color-scheme: light dark;
    font: 0.875rem / 1.45 system-ui, sans-serif;
    background: light-dark(#f6f7f5, #0f1311);
    color: light-dark(#161d19, #e9eeeb);
  }
  body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box }
  main {
    display: grid;
    gap: 0.75rem;
    width: min(24rem, 90vw);
    padding: 1.5rem;
    border: 1px solid light-dark(#e1e5e2, #2a322d);
    border-radius: 0.625rem;
    background: light-dark(#fff, #171c19);
    overflow-wrap: anywhere;
    box-sizing: border-box;
  }
  h1, p { margin: 0 }
  h1 { font-size: 1.375rem }
  .brand { font-size: 0.8125rem; font-weight: 700 }
  a { color: light-dark(#0b5d3b, #7fd6a8) }
  small { color: light-dark(#56625b, #a3b0a8) }
`

/** The address of a refused callback has the provider's code, which must stay in no history or bookmark. */
const SCRIPT = "history.replaceState(null, '', location.pathname)"

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Policy of pages shown by navigation: nothing but their own style and script runs, loads or is framed. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
  // A refused person needs another account, so the provider must ask for one.
  const address = kind.status === 403 ? '/dash/v1/sign_in?step_up=true' : '/dash/v1/sign_in'
  return `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${STYLE}</style><script>${SCRIPT}</script>
<main><p class="brand">Merchant Payments</p><h1>${title}</h1><p>${escaped(message)}</p>
<p><a href="${address}">Sign in</a></p><p><small>${escaped(code)} · ${escaped(requestId)}</small></p></main></html>\n`
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
