import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Rails } from '../../rails.ts'
import { scenarioOfNumber } from '../scenarios.ts'
import { parsePayerForm } from './payer-form.ts'
import { renderPage, STYLE } from './render.ts'
import type { Lang } from './texts.ts'

type Visit = { readonly Params: { readonly token: string }; readonly Querystring: { readonly lang?: string } }

const PATH = '/payment/pay_token/:token'

// form-action is absent, because browsers apply it to every redirect after the form, and a return URL may
// redirect anywhere.
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** The payer's side of Orange: the page at a submit's payment_url. */
export function registerPaymentPage(app: FastifyInstance, rails: Rails): void {
  const find = (token: string) => {
    rails.schedule.runDue()
    return rails.orange.payments.findByToken(token)
  }

  app.get<Visit>(PATH, (request, reply) => {
    const payment = find(request.params.token)
    const lang = langOf(request.query.lang, payment?.lang)
    return send(
      reply,
      payment === undefined ? 404 : 200,
      renderPage({ payment, lang, nowMs: rails.clock.now() }),
    )
  })

  app.post<Visit>(PATH, async (request, reply) => {
    const payment = find(request.params.token)
    // On a second press of a button, or an expired link, the page shows the present state.
    if (payment?.state !== 'INITIATED') return reply.redirect(request.url, 303)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    if (form.get('decision') === 'refuse') {
      void rails.orange.payments.settle(payment, { state: 'FAILED', reason: 'REFUSED_BY_PAYER' })
      return goTo(reply, payment.cancelUrl)
    }
    const payer = parsePayerForm(form)
    if (!('msisdn' in payer)) {
      const lang = langOf(request.query.lang, payment.lang)
      return send(reply, 400, renderPage({ payment, lang, nowMs: rails.clock.now(), wrong: payer }))
    }
    await rails.orange.payments.confirm(payment, payer.msisdn, scenarioOfNumber(payer.msisdn))
    return goTo(reply, payment.returnUrl)
  })
}

// A header must be ASCII, but a merchant's URL may not be.
function goTo(reply: FastifyReply, url: string): FastifyReply {
  return reply.redirect(new URL(url).href, 303)
}

function langOf(asked: string | undefined, ofPayment: Lang | undefined): Lang {
  return asked === 'fr' || asked === 'en' ? asked : (ofPayment ?? 'fr')
}

function send(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).headers(HEADERS).send(page)
}
