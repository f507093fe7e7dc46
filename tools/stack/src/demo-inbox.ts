import { createVerifier } from '@merchant-payments/webhook-verifier'
import type { ReceivedWebhook } from './receiver.ts'
import type { StackFile } from './stack-file.ts'

export interface VerifiedEvent {
  readonly id: string
  readonly type: string
  readonly receivedAtMs: number
}

export interface Inbox {
  /** The first arrival of each event about a resource. Rejects if a signature is wrong. */
  eventsAbout(resourceId: string): Promise<readonly VerifiedEvent[]>
}

const READ_TIMEOUT_MS = 5_000

export function createInbox({ received_url: url, secrets }: NonNullable<StackFile['webhook']>): Inbox {
  const verifier = createVerifier({ secrets })

  async function verified({ body, headers, received_at: at }: ReceivedWebhook): Promise<VerifiedEvent> {
    const { id, type } = await verifier.verify(body, headers)
    return { id, type, receivedAtMs: Date.parse(at) }
  }

  return {
    eventsAbout: async (resourceId) => {
      const response = await fetch(url, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) })
      const { data } = (await response.json()) as { data: ReceivedWebhook[] }
      // Verifies only this resource's events, because old signatures have expired.
      const events = await Promise.all(data.filter(({ body }) => body.includes(resourceId)).map(verified))
      // Spec 6.3.2: deliveries repeat. The id in the verified body identifies the event.
      return events.filter(({ id }, index) => events.findIndex((event) => event.id === id) === index)
    },
  }
}
