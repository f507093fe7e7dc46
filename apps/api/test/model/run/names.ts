import type { Json } from '../books/verdict.ts'

const name = /⟨[^⟩]+⟩/g
const wholeName = /^⟨([^⟩]+)⟩$/

/** What stands for an id that nobody has. */
const NOBODYS = '00000000000070008000000000000000'

/**
 * What the books' names stand for: the first value that the service shows in their place, and nothing else from then on.
 */
export class Names {
  readonly #values = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** Takes from an answer what is not known yet. Says nothing of the rest: that is for the comparison. */
  learn(expected: Json, actual: unknown): void {
    if (typeof expected === 'string') this.#learnName(expected, actual)
    else if (
      typeof expected === 'object' &&
      expected !== null &&
      typeof actual === 'object' &&
      actual !== null
    )
      for (const [key, part] of Object.entries(expected))
        this.learn(part, (actual as Record<string, unknown>)[key])
  }

  #learnName(expected: string, actual: unknown): void {
    const words = wholeName.exec(expected)?.[1]
    if (words === undefined || this.#values.has(expected) || typeof actual !== 'string') return
    if (!this.#shapeOf(words).test(actual) || this.#taken.has(actual)) return
    this.#values.set(expected, actual)
    this.#taken.add(actual)
  }

  /** An id has its kind's prefix; a secret begins with the id that it is of, and a page is an address. */
  #shapeOf(words: string): RegExp {
    const [kind = '', , owner = ''] = words.split(' ')
    if (kind === 'page') return /^http:\/\/127\.0\.0\.1:\d+\/.+$/
    if (kind === 'txn') return /^[\w.]{6,40}$/
    if (kind !== 'secret') return new RegExp(`^${kind}_[0-9a-f]{32}$`)
    const id = this.#values.get(`⟨${owner} ${words.split(' ')[3]}⟩`)
    return new RegExp(`^${id}_secret_1v[\\w-]{43}${owner === 'cs' ? '\\.pk_test_\\w+' : ''}$`)
  }

  isKnown(text: string): boolean {
    return this.#values.has(text)
  }

  /** The text with every known name replaced; an unknown one stays, and equals nothing. */
  resolve(text: string): string {
    return text.replaceAll(name, (found) => {
      const nobodys = /^⟨(\w+) 0⟩$/.exec(found)?.[1]
      return nobodys === undefined ? (this.#values.get(found) ?? found) : `${nobodys}_${NOBODYS}`
    })
  }

  resolveAll(expected: Json): Json {
    if (typeof expected === 'string') return this.resolve(expected)
    if (typeof expected !== 'object' || expected === null) return expected
    if (Array.isArray(expected)) return expected.map((part: Json) => this.resolveAll(part))
    const entries = Object.entries(expected).map(([key, part]) => [key, this.resolveAll(part)])
    return Object.fromEntries(entries) as Json
  }
}
