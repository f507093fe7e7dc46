import { Worker } from 'node:worker_threads'

/** What a noise's connections send, each again and again. */
export interface NoiseRequest {
  readonly port: number
  readonly connections: number
  /** Its text has a fresh UUID in place of each `FRESH`. */
  readonly request: string
}

/** Stands for a new UUID in each request; as long as one, so that no Content-Length changes. */
export const FRESH = '########-####-####-####-############'

/** How often each status was answered. */
export type Tally = Readonly<Record<string, number>>

export interface Noise {
  /** Lets what is under way be answered. */
  stop(): Promise<Tally>
}

/** In a thread of its own, so that it takes no time from the loop that measures. Resolves once it is under way. */
export async function startNoise(workerData: NoiseRequest): Promise<Noise> {
  const thread = new Worker(new URL('./noise-thread.ts', import.meta.url), { workerData })
  const failed = Promise.withResolvers<never>()
  thread.once('error', failed.reject)
  // Whoever awaits a message hears of it; until then nobody does.
  failed.promise.catch(() => undefined)
  const message = () => new Promise<unknown>((resolve) => thread.once('message', resolve))
  await Promise.race([message(), failed.promise])
  return {
    stop: async () => {
      const tally = message()
      thread.postMessage('stop', [])
      return (await Promise.race([tally, failed.promise])) as Tally
    },
  }
}
