import { createServer } from 'node:http'
import { createVerifier, isWebhookVerificationError } from '@merchant-payments/webhook-verifier'

const verifier = createVerifier({ secrets: (process.env.PAYMENTS_WEBHOOK_SECRET ?? '').split(',') })

export const server = createServer(async (request, response) => {
  try {
    const chunks = []
    let bytes = 0
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > 1_048_576) throw new Error('The body is too large.')
      chunks.push(chunk)
    }
    const event = await verifier.verify(Buffer.concat(chunks), request.headers)
    console.log(event.id, event.type)
    response.writeHead(200).end()
  } catch (error) {
    response.writeHead(isWebhookVerificationError(error) ? 400 : 500).end()
  }
}).listen(Number(process.env.PORT ?? 3000))
