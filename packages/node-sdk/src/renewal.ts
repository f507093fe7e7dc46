import type { Deadline } from './deadline.ts'

/** The first request has its full time, for an endpoint that is slow. The others make up for a first one that hangs. */
const REQUESTS_MAX = 3

/**
 * One renewal for all callers that wait. It sends a request, and another one for the next caller after a caller timed out.
 * The first success counts. The renewal fails with the newest request, and then ends the others.
 */
export class Renewal<T> {
  readonly result: Promise<T>
  readonly #send: (signal: AbortSignal) => Promise<T>
  #settle: { resolve: (result: T) => void; reject: (error: unknown) => void } | undefined
  #requests: AbortController[] = []
  #isStuck = false

  constructor(send: (signal: AbortSignal) => Promise<T>) {
    this.#send = send
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // All callers may have given up.
    this.result.catch(() => {})
    this.#add()
  }

  async wait(deadline: Deadline): Promise<T> {
    if (this.#isStuck) this.#add()
    const newest = this.#requests.at(-1)
    try {
      return await deadline.race(() => this.result)
    } catch (error) {
      // Only a caller that waited for the newest request with its whole time says something about it. An abort can come
      // at any time.
      if (deadline.isTimedOut && this.#requests.at(-1) === newest) this.#isStuck = true
      throw error
    }
  }

  #add(): void {
    this.#isStuck = false
    const request = new AbortController()
    if (this.#requests.length === REQUESTS_MAX) this.#requests.splice(1, 1)[0]?.abort()
    this.#requests.push(request)
    this.#send(request.signal).then(
      (result) => {
        this.#settle?.resolve(result)
        this.#end()
      },
      (error: unknown) => {
        if (this.#requests.at(-1) !== request) {
          this.#requests = this.#requests.filter((one) => one !== request)
          return
        }
        this.#settle?.reject(error)
        this.#end()
      },
    )
  }

  #end(): void {
    for (const request of this.#requests) request.abort()
    this.#requests = []
  }
}
