import { createWebhookHandler } from '@merchant-payments/webhook-verifier/express'
import express from 'express'

const secrets = (process.env.PAYMENTS_WEBHOOK_SECRET ?? '').split(',')
const app = express()

// Must come before any express.json(), because the signature covers the bytes as sent.
app.post(
  '/webhooks',
  createWebhookHandler({ secrets }, (event) => console.log(event.id, event.type)),
)

export const server = app.listen(Number(process.env.PORT ?? 3000))
