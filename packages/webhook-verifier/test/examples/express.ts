import { createVerifier, isWebhookVerificationError } from '@merchant-payments/webhook-verifier'
import express from 'express'

const verifier = createVerifier({ secrets: (process.env.WEBHOOK_SECRETS ?? '').split(',') })
const app = express()

// express.raw() on this route, and no express.json() in front of it: the signature covers the bytes as sent.
app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  try {
    const event = await verifier.verify(request.body, request.headers)
    console.log(event.id, event.type)
    response.status(200).end()
  } catch (error) {
    response.status(isWebhookVerificationError(error) ? 400 : 500).end()
  }
})

export const server = app.listen(Number(process.env.PORT ?? 3000))
