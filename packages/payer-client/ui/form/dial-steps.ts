import type { RailOffer } from './types.ts'
import { formWords } from './words/index.ts'
import { type Locale, textIn } from './words/languages.ts'

/** How to approve without a prompt. */
export interface DialSteps {
  readonly dial: string | null
  readonly steps: readonly string[]
  readonly note: string | null
}

/**
 * Null if the deployment knows no help. A hint of several lines is the operator's own steps. A hint of one line
 * stands below the usual steps.
 */
export function dialSteps({ name, prompt }: RailOffer, locale: Locale): DialSteps | null {
  const dial = prompt?.dial ?? null
  const lines = (prompt?.hint == null ? '' : textIn(prompt.hint, locale))
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (lines.length > 1) return { dial, steps: lines, note: null }
  const [note = null] = lines
  if (dial === null && note === null) return null
  return { dial, steps: dial === null ? [] : formWords[locale].dialSteps(dial, textIn(name, locale)), note }
}

/** A bare # would cut the code off as a fragment. */
export const dialLink = (dial: string): string => `tel:${encodeURIComponent(dial)}`
