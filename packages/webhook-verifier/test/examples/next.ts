// app/webhooks/route.ts
import { createWebhookHandler } from '@merchant-payments/webhook-verifier/next'

const secrets = (process.env.PAYMENTS_WEBHOOK_SECRET ?? '').split(',')

export const POST = createWebhookHandler({ secrets }, (event) => console.log(event.id, event.type))
