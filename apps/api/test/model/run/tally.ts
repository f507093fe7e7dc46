import type { Judgement } from '../books/judge.ts'

/** How often each outcome of each step was seen. */
export class Tally {
  readonly #counts = new Map<string, number>()
  steps = 0

  add(step: string, outcome: string): void {
    this.steps += 1
    const name = `${step} ${outcome}`
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  saw(step: string, outcome: string): boolean {
    return this.#counts.has(`${step} ${outcome}`)
  }

  lines(): string[] {
    return [...this.#counts].map(([name, count]) => `${name}: ${count}`).sort()
  }
}

/** `ok`, the code of the refusal, or `replayed`. */
export const outcomeOf = ({ verdict, replayOf }: Judgement): string => {
  if (replayOf !== null) return 'replayed'
  return 'body' in verdict ? 'ok' : verdict.code
}
