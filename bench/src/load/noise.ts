import { Worker } from 'node:worker_threads'

export interface NoiseRequest {
  readonly port: number
  readonly connections: number
  /** The request's text. Each `FRESH` in it is replaced by a new UUID. */
  readonly request: string
}

/** The placeholder of a new UUID. It has a UUID's length, so the Content-Length stays valid. */
export const FRESH = '########-####-####-####-############'

export type Tally = Readonly<Record<string, number>>

export interface Noise {
  stop(): Promise<Tally>
}

/** Runs in its own thread, so that it takes no time from the measuring event loop. Resolves once it is running. */
export async function startNoise(workerData: NoiseRequest): Promise<Noise> {
  const thread = new Worker(new URL('./noise-thread.ts', import.meta.url), { workerData })
  const failed = Promise.withResolvers<never>()
  thread.once('error', failed.reject)
  // Callers get the rejection through Promise.race; this handler avoids an unhandled rejection before that.
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
