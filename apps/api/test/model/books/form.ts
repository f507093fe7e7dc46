import type { Metadata } from './objects.ts'
import { bad } from './verdict.ts'

export type Pair = readonly [name: string, value: string]

/** The parameters of a request, read by the names that they have on the wire. */
export class Form {
  readonly pairs: readonly Pair[]

  constructor(pairs: readonly Pair[]) {
    this.pairs = pairs
  }

  /** An empty value is the form's spelling of null. */
  clearable(name: string): string | null | undefined {
    const text = this.text(name)
    return text === '' ? null : text
  }

  optional(name: string): string | null {
    return this.clearable(name) ?? null
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined || text === '') throw bad(name)
    return text
  }

  text(name: string): string | undefined {
    return this.pairs.find(([sent]) => sent === name)?.[1]
  }

  oneOf(name: string, words: readonly string[]): string | null {
    const text = this.text(name)
    if (text !== undefined && !words.includes(text)) throw bad(name)
    return text ?? null
  }

  /** `name[]=a&name[]=b`; undefined when there is none. */
  list(name: string): readonly string[] | undefined {
    const values = this.pairs.filter(([sent]) => sent === `${name}[]`).map(([, value]) => value)
    return values.length === 0 ? undefined : values
  }

  /** `name[key]=value`; undefined when there is none. */
  map(name: string): Readonly<Record<string, string>> | undefined {
    const entries = this.pairs.flatMap(([sent, value]) => {
      const key = sent.startsWith(`${name}[`) ? sent.slice(name.length + 1, -1) : undefined
      return key === undefined ? [] : [[key, value] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }

  /** docs/spec-gaps.md: keys of 1 to 40 characters. */
  metadata(): Metadata {
    const sent = this.map('metadata') ?? {}
    const long = Object.keys(sent).find((key) => key.length > 40)
    if (long !== undefined) throw bad(`metadata[${long}]`.slice(0, 100))
    return sent
  }

  /** docs/spec-gaps.md: 1 to 99 999 999 minor units. */
  amount(name = 'amount'): number | undefined {
    return this.#number(name, /^[1-9]\d{0,7}$/)
  }

  /** A line's: less than nothing is a credit. */
  signedAmount(name: string): number | undefined {
    return this.#number(name, /^-?[1-9]\d{0,7}$/)
  }

  count(name: string, min: number, max: number): number | undefined {
    const number = this.#number(name, /^\d{1,10}$/)
    if (number !== undefined && (number < min || number > max)) throw bad(name)
    return number
  }

  #number(name: string, shape: RegExp): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!shape.test(text)) throw bad(name)
    return Number(text)
  }

  /** In any case. */
  currency(): string | undefined {
    const currency = this.text('currency')?.toUpperCase()
    if (currency !== undefined && currency !== 'XAF' && currency !== 'EUR') throw bad('currency')
    return currency
  }
}

/** Spec 4.4.3: merges key by key, and a key sent empty is removed. */
export const merged = (before: Metadata, sent: Metadata): Metadata =>
  Object.fromEntries(Object.entries({ ...before, ...sent }).filter(([key]) => sent[key] !== ''))

export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** docs/spec-gaps.md: one form of twelve digits, whatever spelling was sent (spec 2.2). */
export function canonicalPhone(text: string, param: string): string {
  const digits = text
    .trim()
    .replace(/^tel:/, '')
    .replaceAll(/[ .\-/()]/g, '')
  const international = /^(?:\+|00)/.test(digits) ? digits.replace(/^(?:\+|00)/, '') : undefined
  const whole = international ?? (digits.length === 9 ? `237${digits}` : digits)
  if (!/^[1-9]\d{11}$/.test(whole)) throw bad(param)
  return whole
}
