import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createOrangeMoney } from '@merchant-payments/rails'
import { ORANGE_RAIL, type Replica, settle, type TestApi } from './harness.ts'

type Status = 'INITIATED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'EXPIRED'

/** An order at the operator, with its payment page. */
interface Order {
  readonly fields: Readonly<Record<string, unknown>>
  readonly payToken: string
  readonly notifToken: string
  readonly url: string
  status: Status
  /** Number of status queries. */
  asked: number
}

/** The operator's side, and the service with a rail that calls it. */
export interface Orange extends Replica {
  /** Oldest first. */
  readonly orders: readonly Order[]
  /** Accepts the next order, and loses its answer. */
  readonly loseNextAnswer: () => void
  /** Runs a pass of the worker after a wait. */
  readonly settle: (afterMs?: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export async function openOrange(api: TestApi): Promise<Orange> {
  const orders: Order[] = []
  let losesAnswer = false

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const reply = (status: number, fields: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
    switch (request.url ?? '') {
      case '/oauth/v3/token':
        return void reply(200, { token_type: 'Bearer', access_token: 'token', expires_in: '7776000' })
      case '/orange-money-webpay/cm/v1/webpayment': {
        const order = takeOrder(JSON.parse(body) as Order['fields'])
        if (losesAnswer) {
          losesAnswer = false
          return void request.socket.resetAndDestroy()
        }
        const { payToken, notifToken, url } = order
        const tokens = { pay_token: payToken, notif_token: notifToken, payment_url: url }
        return void reply(201, { status: 201, message: 'OK', ...tokens })
      }
      case '/orange-money-webpay/cm/v1/transactionstatus': {
        const query = JSON.parse(body) as Record<string, unknown>
        const order = orders.find(({ payToken }) => payToken === query['pay_token'])
        const agrees =
          order?.fields['order_id'] === query['order_id'] && order?.fields['amount'] === query['amount']
        if (order === undefined || !agrees)
          return void reply(404, { code: 60, message: 'Resource not found' })
        order.asked += 1
        const txnid = order.status === 'SUCCESS' ? 'MP261121.1200.A00001' : undefined
        return void reply(201, { status: order.status, order_id: query['order_id'], txnid })
      }
      default:
        return void reply(404, { code: 60, message: 'Resource not found' })
    }
  }

  function takeOrder(fields: Order['fields']): Order {
    const payToken = randomBytes(32).toString('hex')
    const order: Order = {
      fields,
      payToken,
      notifToken: randomBytes(16).toString('hex'),
      url: `https://webpayment.orange.example/payment/pay_token/${payToken}`,
      status: 'INITIATED',
      asked: 0,
    }
    orders.push(order)
    return order
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const rail = createOrangeMoney({
    code: ORANGE_RAIL,
    displayName: 'Orange Money',
    adapter: 'orange_money',
    settlementCurrency: 'XAF',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    country: 'cm',
    merchantKey: 'merchant-key',
    clientId: 'client',
    clientSecret: 'client-secret',
    lang: 'fr',
    clock: api.clock,
  })
  const rails = new Map([...api.rails, [ORANGE_RAIL, rail]])

  return {
    ...(await api.deploy(rails)),
    orders,
    loseNextAnswer: () => {
      losesAnswer = true
    },
    settle: async (afterMs) => void (await settle({ ...api, rails }, afterMs)),
    stop: async () => {
      await rail.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
