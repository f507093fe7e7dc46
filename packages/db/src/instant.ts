/** Seconds whose texts are kept. */
const SECONDS_MAX = 64
const MILLISECONDS_CHARS = '000Z'.length

const secondTexts = new Map<number, string>()

/**
 * The text of an instant, as `Date.toISOString` gives it. A payment writes some twenty instants, most of them in the same
 * few seconds.
 *
 * @param ms Unix time in ms; a part of a millisecond is dropped
 * @throws RangeError if it is no instant
 */
export function instant(ms: number): string {
  const wholeMs = Math.trunc(ms)
  const second = Math.floor(wholeMs / 1_000)
  return `${textOf(second)}${String(wholeMs - second * 1_000).padStart(3, '0')}Z`
}

export const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

function textOf(second: number): string {
  const known = secondTexts.get(second)
  if (known !== undefined) return known
  const text = new Date(second * 1_000).toISOString().slice(0, -MILLISECONDS_CHARS)
  if (secondTexts.size >= SECONDS_MAX) secondTexts.clear()
  secondTexts.set(second, text)
  return text
}
