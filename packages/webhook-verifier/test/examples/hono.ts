import { createWebhookHandler } from '@merchant-payments/webhook-verifier/hono'
import { Hono } from 'hono'

const secrets = (process.env.PAYMENTS_WEBHOOK_SECRET ?? '').split(',')
export const app = new Hono()

app.post(
  '/webhooks',
  createWebhookHandler({ secrets }, (event) => console.log(event.id, event.type)),
)
