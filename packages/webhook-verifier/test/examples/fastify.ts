import { createVerifier, isWebhookVerificationError } from '@merchant-payments/webhook-verifier'
import fastify from 'fastify'

const verifier = createVerifier({ secrets: (process.env.WEBHOOK_SECRETS ?? '').split(',') })
export const app = fastify()

// In this scope alone a JSON body stays a Buffer.
app.register(async (scope) => {
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => body,
  )
  scope.post<{ Body: Buffer }>('/webhooks', async (request, reply) => {
    try {
      const event = await verifier.verify(request.body, request.headers)
      console.log(event.id, event.type)
      return reply.code(200).send()
    } catch (error) {
      return reply.code(isWebhookVerificationError(error) ? 400 : 500).send()
    }
  })
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
