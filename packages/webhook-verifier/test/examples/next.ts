// app/webhooks/route.ts
import { createVerifier, isWebhookVerificationError } from '@merchant-payments/webhook-verifier'

const verifier = createVerifier({ secrets: (process.env.WEBHOOK_SECRETS ?? '').split(',') })

export async function POST(request: Request): Promise<Response> {
  try {
    const event = await verifier.verifyRequest(request)
    console.log(event.id, event.type)
    return new Response(null, { status: 200 })
  } catch (error) {
    return new Response(null, { status: isWebhookVerificationError(error) ? 400 : 500 })
  }
}
