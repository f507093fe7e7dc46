import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { type Mode, openCheckout } from './checkout.ts'
import { loadAssets } from './assets.ts'
import { createOrders, type Order } from './orders.ts'
import { loadPages } from './pages.ts'
import { relayWebhooks } from './relay.ts'
import type { Settings } from './settings.ts'
import { type Lang, langOf, priceText, texts } from './texts.ts'
import { createWebhooks } from './webhooks.ts'

export interface Shop {
  readonly origin: string
  stop(): Promise<void>
}

const PRICE = 2_500
/** Far larger than any event. */
const BODY_BYTES_MAX = 256 * 1_024

/** A shop with one article, payable on the service's page or on its own. */
export async function startShop(settings: Settings, port = 0): Promise<Shop> {
  const [render, assets] = await Promise.all([loadPages(), loadAssets()])
  const { baseUrl, clientId, privateKey, keyId } = settings
  const payments = createMerchantPayments({ baseUrl, clientId, privateKey, keyId })
  const orders = createOrders()
  const takeWebhook = createWebhooks(settings.webhookSecrets, orders)
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : 'failed')
      send(response, 500, 'text/plain', texts[langIn(request)].failed)
    })
  })
  const origin = await listen(server, port)
  const stopping = new AbortController()
  const relaying = relayWebhooks(settings.receivedUrl, takeWebhook, stopping.signal)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/' } = request
    const { pathname } = new URL(url, origin)
    const lang = langIn(request)
    const asset = assets.get(pathname)
    if (asset !== undefined) return send(response, 200, asset.type, asset.content)
    if (pathname === '/')
      return send(response, 200, 'text/html', render('index', lang, { price: priceText(PRICE, lang) }))
    if (method === 'POST' && pathname === '/webhooks') {
      return send(response, await takeWebhook(await readBody(request), request.headers), 'text/plain', '')
    }
    if (method === 'POST' && pathname === '/orders') return order(request, response)
    const [, id = '', page = ''] = /^\/orders\/([\w-]+)(\/pay)?$/.exec(pathname) ?? []
    const found = orders.find(id)
    if (found === undefined) return send(response, 404, 'text/plain', texts[lang].noPage)
    if (page === '') return send(response, 200, 'text/html', renderOrder(found, lang))
    response.setHeader('content-security-policy', policyFor(baseUrl))
    send(response, 200, 'text/html', renderPay(found, lang))
  }

  async function order(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode: Mode = (await readBody(request)).includes('mode=hosted') ? 'hosted' : 'embedded'
    const payUrl = await openCheckout({ payments, settings, origin }, orders.create(PRICE), mode)
    response.writeHead(303, { location: payUrl }).end()
  }

  const renderOrder = ({ isPaid, session }: Order, lang: Lang) =>
    isPaid ? render('paid-order', lang) : render('order', lang, { payUrl: session?.payUrl ?? '' })

  const renderPay = ({ id, session }: Order, lang: Lang) =>
    render('pay', lang, {
      price: priceText(PRICE, lang),
      baseUrl: settings.baseUrl,
      clientSecret: session?.clientSecret ?? '',
      orderUrl: `${origin}/orders/${id}`,
    })

  return {
    origin,
    stop: async () => {
      stopping.abort()
      server.close()
      server.closeAllConnections()
      await relaying
    },
  }
}

/** The policy of the payer client's README. A page without other scripts needs no more. */
const policyFor = (baseUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${baseUrl}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')

const langIn = ({ headers }: IncomingMessage): Lang => langOf(headers['accept-language'])

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response
    .writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      // The payer's page contains the payer's secret.
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .end(body)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
