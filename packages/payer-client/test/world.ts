import { type Attention, createPayerClient, type PayerClientOptions } from '../src/index.ts'
import { fakeClock } from './fake-clock.ts'
import { createNetwork, type Fault, type Sent } from './network.ts'
import { createService, INTENT_SECRET, PUBLISHABLE_KEY, type RailPlan } from './service.ts'

export const BASE_URL = 'https://payments.example.com'
export const ORDER = { rail: 'mtn_momo_cm', msisdn: '6 70 00 00 01' } as const

interface Plan {
  readonly rail?: readonly RailPlan[]
  /** The faults of the requests in order. Later requests have none. */
  readonly faults?: readonly Fault[]
  readonly nextFault?: (sent: Sent) => Fault
}

/** A payer's device, a network and a service, in fake time. */
export function createWorld({ rail = [], faults = [], nextFault }: Plan = {}) {
  const clock = fakeClock()
  const service = createService(clock, rail)
  let count = 0
  const network = createNetwork(clock, service, nextFault ?? (() => faults[count++] ?? {}))
  const storage = memoryStorage()
  const attention = fakeAttention()
  /** A client as after a reload, when only the storage is left. */
  const client = (options: Partial<PayerClientOptions> = {}) =>
    createPayerClient({
      baseUrl: BASE_URL,
      clientSecret: INTENT_SECRET,
      publishableKey: PUBLISHABLE_KEY,
      fetch: network.fetch,
      random: () => 0.5,
      clock,
      storage,
      attention,
      ...options,
    })
  return { clock, service, network, storage, attention, client }
}

function memoryStorage() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  }
}

function fakeAttention(): Attention & { turn(isOn: boolean): void; listeners(): number } {
  const listeners = new Set<() => void>()
  let isOn = true
  return {
    isOn: () => isOn,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    turn(value) {
      isOn = value
      for (const listener of listeners) listener()
    },
    listeners: () => listeners.size,
  }
}
