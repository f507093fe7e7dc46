import { createVerifier } from '@merchant-payments/webhook-verifier'
import type { ReceivedWebhook } from './receiver.ts'
import type { StackFile } from './stack-file.ts'

export interface VerifiedEvent {
  readonly id: string
  readonly type: string
  readonly receivedAtMs: number
}

export interface Inbox {
  /** The events about one resource, first arrivals only. Rejects if any of them is not signed as it must be. */
  eventsAbout(resourceId: string): Promise<readonly VerifiedEvent[]>
}

const READ_TIMEOUT_MS = 5_000

/** What the shop was sent, each body verified. */
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
      // The newer ones only: an old body's signature is too old by now.
      const events = await Promise.all(data.filter(({ body }) => body.includes(resourceId)).map(verified))
      // Spec 6.3.2: deliveries repeat; the id in the verified body tells.
      return events.filter(({ id }, index) => events.findIndex((event) => event.id === id) === index)
    },
  }
}
