/** Longer than two looks of a pass, between which a lane is open for one claim and then full again. */
const GAP_MAX_MS = 10_000

/** Remembers the latest spell for which each name was left out of claims. */
export function createSpells() {
  const spells = new Map<string, { readonly fromMs: number; untilMs: number }>()
  return {
    note: (names: readonly string[], nowMs: number): void => {
      for (const name of names) {
        const spell = spells.get(name)
        if (spell !== undefined && nowMs - spell.untilMs <= GAP_MAX_MS) spell.untilMs = nowMs
        else spells.set(name, { fromMs: nowMs, untilMs: nowMs })
      }
    },
    /** How much of its latest spell is after this instant. */
    lastedMs: (name: string, sinceMs: number): number => {
      const spell = spells.get(name)
      return spell === undefined ? 0 : Math.max(0, spell.untilMs - Math.max(spell.fromMs, sinceMs))
    },
  }
}
